package survey

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// sysfs makes the files of a BlueField-3 with one RDMA device.
func sysfs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"bus/pci/devices/0000:03:00.0/vendor":                    "0x15b3\n",
		"bus/pci/devices/0000:03:00.0/device":                    "0xa2dc\n",
		"bus/pci/devices/0000:03:00.1/vendor":                    "0x15b3\n",
		"bus/pci/devices/0000:03:00.1/device":                    "0xa2dc\n",
		"bus/pci/devices/0000:01:00.0/vendor":                    "0x8086\n",
		"class/infiniband/mlx5_0/fw_ver":                         "32.39.1002\n",
		"class/infiniband/mlx5_0/ports/1/state":                  "4: ACTIVE\n",
		"class/infiniband/mlx5_0/ports/1/rate":                   "400 Gb/sec (4X NDR)\n",
		"class/infiniband/mlx5_0/ports/1/link_layer":             "Ethernet\n",
		"class/infiniband/mlx5_0/ports/1/gids/0":                 "fe80:0000:0000:0000:0000:0000:0000:0001\n",
		"class/infiniband/mlx5_0/ports/1/gids/3":                 "0000:0000:0000:0000:0000:ffff:0a00:0001\n",
		"class/infiniband/mlx5_0/ports/1/gids/10":                noGID + "\n",
		"class/infiniband/mlx5_0/ports/1/gid_attrs/types/3":      "RoCE v2\n",
		"class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3":      "p0\n",
		"class/infiniband/mlx5_0/ports/1/gid_attrs/types/strays": "",
	} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRDMADevices(t *testing.T) {
	want := []Device{{
		Name: "mlx5_0", Firmware: "32.39.1002", State: "ACTIVE", Rate: "400 Gb/sec (4X NDR)", LinkLayer: "Ethernet",
		GIDs: []GID{
			{0, "fe80:0000:0000:0000:0000:0000:0000:0001", "", ""},
			{3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "p0"},
		},
	}}
	if got := rdmaDevices(sysfs(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestBlueField(t *testing.T) {
	sys := sysfs(t)
	t.Setenv("PATH", t.TempDir()) // no mlxconfig
	if b := blueField(t.Context(), sys, []Interface{{Name: "p0"}, {Name: "pf0hpf"}}); b == nil ||
		b.Generation != "bf3" || b.Bus != "0000:03:00.0" || b.Mode != OnPath {
		t.Errorf("with the host's representor: %+v", b)
	}
	if b := blueField(t.Context(), sys, []Interface{{Name: "p0"}}); b == nil || b.Mode != "" || b.Evidence == "" {
		t.Errorf("without: %+v", b)
	}
	if b := blueField(t.Context(), t.TempDir(), nil); b != nil {
		t.Errorf("no card: %+v", b)
	}
	// NVIDIA's tool is not installed here. A program that prints the manual's example replaces it.
	tool := filepath.Join(os.Getenv("PATH"), "mlxconfig")
	script := "#!/bin/sh\n[ \"$2\" = 0000:03:00.0 ] && echo '         INTERNAL_CPU_MODEL                          " +
		"SEPARATED_HOST(0)'\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if b := blueField(t.Context(), sys, nil); b == nil || b.Mode != OffPath {
		t.Errorf("by mlxconfig: %+v", b)
	}
}

func TestModeOf(t *testing.T) {
	const model, engine = "INTERNAL_CPU_MODEL      ", "INTERNAL_CPU_OFFLOAD_ENGINE   "
	for text, want := range map[string]string{
		model + "EMBEDDED_CPU(1)\n" + engine + "ENABLED(0)\n":   OnPath,
		model + "SEPARATED_HOST(0)\n" + engine + "ENABLED(0)\n": OffPath,
		model + "EMBEDDED_CPU(1)\n" + engine + "DISABLED(1)\n":  NICMode,
		"-E- Failed to open the device\n":                       "",
	} {
		if got := modeOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestReadHere(t *testing.T) {
	r := Read(t.Context())
	if len(r.Tools) != len(wanted) {
		t.Errorf("%d tools, want %d", len(r.Tools), len(wanted))
	}
	for _, it := range r.Interfaces {
		if it.Name == "" || it.MTU == 0 {
			t.Errorf("incomplete: %+v", it)
		}
		for _, a := range it.Addresses {
			if got := r.HasAddress(a); got == nil || got.Name != it.Name {
				t.Errorf("%s is at %+v, want %s", a, got, it.Name)
			}
		}
	}
}
