package energy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// powercapWith makes a tree like the kernel's. Values are name, energy_uj, and max_energy_range_uj.
func powercapWith(t *testing.T, zones map[string][3]string) string {
	t.Helper()
	root := t.TempDir()
	for zone, values := range zones {
		dir := filepath.Join(root, zone)
		must.Do(t, os.Mkdir(dir, 0o755))
		for i, file := range []string{"name", "energy_uj", "max_energy_range_uj"} {
			if values[i] == "" {
				continue
			}
			must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(values[i]+"\n"), 0o644))
		}
	}
	return root
}

func TestRead(t *testing.T) {
	got := readBelow(powercapWith(t, map[string][3]string{
		"intel-rapl:0":      {"package-0", "100", "1000"},
		"intel-rapl:0:0":    {"core", "60", "1000"}, // a part of the package
		"intel-rapl:0:1":    {"dram", "7", "500"},   // beside it
		"intel-rapl:1":      {"package-1", "200", "1000"},
		"intel-rapl:2":      {"psys", "900", "1000"}, // contains all packages
		"intel-rapl-mmio:0": {"package-0", "100", "1000"},
	}))
	want := Reading{{"package-0", 100, 1000}, {"package-0 dram", 7, 500}, {"package-1", 200, 1000}}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestReadNothing: a machine without counters, and one with a counter that may not be read, have no
// reading rather than a part of one.
func TestReadNothing(t *testing.T) {
	for name, zones := range map[string]map[string][3]string{
		"no counters":     {},
		"only for root":   {"intel-rapl:0": {"package-0", "", "1000"}},
		"one of two":      {"intel-rapl:0": {"package-0", "5", "1000"}, "intel-rapl:1": {"package-1", "", "1000"}},
		"without a range": {"intel-rapl:0": {"package-0", "5", ""}},
	} {
		if got := readBelow(powercapWith(t, zones)); got != nil {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

func TestBetween(t *testing.T) {
	const most = 100e9 // microjoules: 100 s at 1 kW
	begin := Reading{{"package-0", 10, most}, {"package-1", most - 5, most}}
	end := Reading{{"package-0", 30, most}, {"package-1", 15, most}}
	for name, c := range map[string]struct {
		begin, end Reading
		span       time.Duration
		want       float64
		by         string
	}{
		"one went around":     {begin, end, time.Second, 20 + 20, "rapl: package-0, package-1"},
		"around twice, maybe": {begin, end, 101 * time.Second, 0, ""},
		"no counters":         {nil, nil, time.Second, 0, ""},
		"one is gone":         {begin, end[:1], time.Second, 0, ""},
		"another one":         {begin[:1], end[1:], time.Second, 0, ""},
		"they stand still":    {begin, begin, time.Second, 0, ""},
	} {
		if got, by := Between(c.begin, c.end, c.span); got != c.want || by != c.by {
			t.Errorf("%s: found %v by %q, want %v by %q", name, got, by, c.want, c.by)
		}
	}
}
