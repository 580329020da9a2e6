package survey

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
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
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
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
	mlxconfig := func(script string) { programs.First(t, map[string]string{"mlxconfig": script}) }
	mlxconfig("exit 1\n") // as none would answer
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
	// NVIDIA's tool is not installed here. A program that prints the manual's example replaces it. The
	// firmware lacks the second key, and the mode changes with the next power cycle.
	mlxconfig(`[ "$2" = 0000:03:00.0 ] && [ "$5" = INTERNAL_CPU_MODEL ] &&
echo '         INTERNAL_CPU_MODEL   EMBEDDED_CPU(1)  SEPARATED_HOST(0)  EMBEDDED_CPU(1)' && exit
echo "-E- The Device doesn't support $5 parameter"; exit 3
`)
	if b := blueField(t.Context(), sys, nil); b == nil || b.Mode != OffPath ||
		!strings.Contains(b.Evidence, "after a power cycle DPU mode") {
		t.Errorf("by mlxconfig: %+v", b)
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
