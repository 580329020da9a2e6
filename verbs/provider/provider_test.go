package provider

import (
	"strings"
	"testing"

	"dpukv/verbs"
	"dpukv/verbs/verbstest"
)

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		o    Options
		want []string
	}{
		{"", Defaults, []string{`""`, Names}},
		{"mlx5_0", Defaults, []string{`"mlx5_0"`, Names}},
		{"shm:0", Defaults, []string{"allowed with shm: none", `"0"`}},
		{"shm", Options{MTU: 1024}, []string{"1024", "4096"}},
		{"shm", Options{GIDIndex: 3}, []string{"GID index 3"}},
		{"softroce", Defaults, []string{"softroce:ADDRESS"}},
		{"softroce:eth0", Defaults, []string{"softroce:eth0", "softroce:ADDRESS"}},
		{"softroce:" + verbstest.Addr(0), Options{MTU: 1000}, []string{"1000"}},
		{"ibverbs:none0", Defaults, []string{"ibverbs:none0"}},
		{"ibverbs:none0/", Defaults, []string{`port: found ""`, "mlx5_0/1"}},
		{"ibverbs:none0/0", Defaults, []string{`port: found "0"`, "mlx5_0/1"}},
		{"ibverbs:none0/two", Defaults, []string{`port: found "two"`, "mlx5_0/1"}},
	} {
		d, err := Open(test.name, test.o)
		if err == nil {
			t.Errorf("Open(%q, %+v) = %+v", test.name, test.o, d.Info())
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Open(%q, %+v): %v: does not name %s", test.name, test.o, err, want)
			}
		}
	}
}

func TestOpen(t *testing.T) {
	for _, name := range []string{"shm", "softroce:" + verbstest.Addr(0)} {
		d, err := Open(name, Defaults)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, _, _ := strings.Cut(name, ":"); d.Info().Provider != got {
			t.Errorf("%s opened %+v", name, d.Info())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestConformance has two devices of each provider that needs no hardware talk.
func TestConformance(t *testing.T) {
	for _, pair := range [][2]string{
		{"shm", "shm"},
		{"softroce:" + verbstest.Addr(0), "softroce:" + verbstest.Addr(1)},
	} {
		kind, _, _ := strings.Cut(pair[0], ":")
		t.Run(kind, func(t *testing.T) {
			verbstest.Loopback(t, mustOpen(t, pair[0]), mustOpen(t, pair[1]))
		})
	}
}

func mustOpen(t *testing.T, name string) verbs.Device {
	t.Helper()
	d, err := Open(name, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
