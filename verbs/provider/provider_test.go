package provider

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
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
		{"shm:nasty=polite", Defaults, []string{`model "polite"`, "pcie"}},
		{"shm:1,nasty=pcie", Defaults, []string{"allowed with shm: none"}},
		{"ibverbs:none0,nasty=pcie", Defaults, []string{"allowed: shm and softroce"}},
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
	pairs := [][2]string{
		{"shm", "shm"},
		{"softroce:" + verbstest.Addr(0), "softroce:" + verbstest.Addr(1)},
		{"shm:nasty=ordered", "shm"},
	}
	if testing.Short() {
		pairs = pairs[:2]
		t.Log("a short run: no nasty device in order")
	}
	for _, pair := range pairs {
		t.Run(pair[0], func(t *testing.T) {
			verbstest.Loopback(t, mustOpen(t, pair[0]), mustOpen(t, pair[1]))
		})
	}
}

// TestConformanceOfPieces has devices that give messages effect in pieces talk, in both directions.
func TestConformanceOfPieces(t *testing.T) {
	models := []string{"pcie", "last-word", "ibta"}
	if testing.Short() {
		models = models[:1]
		t.Log("a short run: one model")
	}
	for _, model := range models {
		for _, pair := range [][2]string{
			{"shm:", "shm"},
			{"softroce:" + verbstest.Addr(0) + ",", "softroce:" + verbstest.Addr(1)},
		} {
			name := pair[0] + "nasty=" + model
			t.Run(name, func(t *testing.T) {
				verbstest.LoopbackOfPieces(t, mustOpen(t, name), mustOpen(t, pair[1]))
			})
		}
	}
}

func mustOpen(t *testing.T, name string) verbs.Device {
	t.Helper()
	return must.Keep(Open(name, Defaults))(t)
}
