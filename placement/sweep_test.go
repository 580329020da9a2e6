package placement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dpukv/placement/submode"
)

// some draws one to three of the values, each once.
func some[T comparable](t *rapid.T, name string, values ...T) []T {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 1, min(3, len(values)), rapid.ID[T]).Draw(t, name)
}

func anySweep(t *rapid.T) Sweep {
	return Sweep{
		Stores: []string{"mica"}, Placements: some(t, "placements", "CH-SH", "CDH-SH", "MY-1"), Filters: some(t, "filters", "", "drop-client:192.0.2.1"), Submodes: some(t, "submodes", submode.Names()...),
		Load: loadAxes{
			"get_ratios": some(t, "get_ratios", "1", "0.95", "0.5", "0", fmt.Sprint(1.0/3)),
			"dist":       some(t, "dist", "uniform", "zipf:0.99", "zipf:0.5"),
			"keys":       some(t, "keys", "1", "1000", "1000000"),
			"key_bytes":  some(t, "key_bytes", "8", "16"), "value_bytes": some(t, "value_bytes", "8", "32"),
			"batch": some(t, "batch", "1", "64"), "window": some(t, "window", "1", "4"),
			"connections": some(t, "connections", "1", "2"),
			"rates":       some(t, "rates", "0", "1000000", "12.5"),
			"arrivals":    some(t, "arrivals", "constant", "poisson"),
			"hash":        some(t, "hash", "city64", "xxh64"),
		},
		ServerThreads: some(t, "server_threads", 1, 2), ClientThreads: some(t, "client_threads", 1, 2, 4),
		Mode: some(t, "mode", "cache", "store"), Access: some(t, "access", "erew", "crew"), Protocol: some(t, "protocol", "", "binary"),
		Duration: time.Duration(rapid.Int64Range(1e7, 1e12).Draw(t, "duration")),
		Warmup:   time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "warmup")),
		Repeats:  rapid.IntRange(1, 4).Draw(t, "repeats"), Seed: rapid.Uint64Range(0, 1<<63-1).Draw(t, "seed"),
	}
}

// smallSweep is one whose points are few enough to list.
func smallSweep(t *rapid.T) Sweep {
	s := Default()
	any := anySweep(t)
	s.ClientThreads = any.ClientThreads
	for _, key := range []string{"get_ratios", "rates", "batch"} {
		s.Load = s.Load.with(key, any.Load[key]...)
	}
	s.Repeats, s.Seed = any.Repeats, any.Seed
	return s
}

func TestPointsAreAllCombinationsOncePerRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSweep(t)
		points := s.Points()
		configs := len(s.Load["get_ratios"]) * len(s.ClientThreads) * len(s.Load["rates"]) * len(s.Load["batch"])
		if len(points) != configs*s.Repeats || s.size(maxPoints) != len(points) {
			t.Fatalf("%d points, size says %d, want %d", len(points), s.size(maxPoints), configs*s.Repeats)
		}
		ids := map[string]bool{}
		for i, pt := range points {
			if want := i/configs + 1; pt.Repeat != want {
				t.Fatalf("point %d is of repeat %d, want %d: a repeat begins only when the one before is through", i, pt.Repeat, want)
			}
			if ids[pt.ID] {
				t.Fatalf("%s twice", pt.ID)
			}
			ids[pt.ID] = true
		}
		for repeat := range s.Repeats {
			seen := map[Config]bool{}
			for _, pt := range points[repeat*configs : (repeat+1)*configs] {
				seen[pt.Config] = true
			}
			if len(seen) != configs {
				t.Fatalf("repeat %d has %d configurations, want %d", repeat+1, len(seen), configs)
			}
		}
	})
}

func TestPointsDependOnNothingButTheSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSweep(t)
		if !slices.Equal(s.Points(), s.Points()) {
			t.Fatal("the same sweep gave two orders")
		}
		// A value more on an axis adds points and renames none.
		wider := s
		wider.Load = s.Load.with("window", s.Load["window"][0], "99")
		var ids []string
		for _, pt := range wider.Points() {
			ids = append(ids, pt.ID)
		}
		for _, pt := range s.Points() {
			if !slices.Contains(ids, pt.ID) {
				t.Fatalf("%s is gone from the wider sweep", pt.ID)
			}
		}
	})
}

func TestPointIDsNameFilesAndStayTheSame(t *testing.T) {
	s := Default()
	points := s.Points()
	for _, pt := range points {
		if !regexp.MustCompile(`^[A-Za-z0-9.-]+$`).MatchString(pt.ID) || len(pt.ID) > 100 {
			t.Errorf("%q does not make a good file name", pt.ID)
		}
	}
	// Should this fail, then no run begun before can be continued: change it only with the schema.
	i := slices.IndexFunc(points, func(p Point) bool { return p.GetRatio == 0.95 && p.ClientThreads == 2 && p.Repeat == 3 })
	if got, want := points[i].ID, "mica-CH-SH-off-path-get0.95-s1-c2-f47ca2bc-r3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRepeatsHaveDifferentOrders(t *testing.T) {
	s := Default()
	points := s.Points()
	n := len(points) / s.Repeats
	same := 0
	for i := range n {
		if points[i].Config == points[n+i].Config {
			same++
		}
	}
	if same == n {
		t.Error("the second repeat goes through the configurations in the order of the first")
	}
}

func TestBudgets(t *testing.T) {
	d, q := Default(), Quick()
	if sum := estimate(d.Points()); sum > 2*time.Minute {
		t.Errorf("the default sweep is estimated at %v, want at most two minutes", sum)
	}
	if sum := estimate(q.Points()); len(q.Points()) < 8 || sum > 25*time.Second {
		t.Errorf("the quick sweep has %d points in about %v, want at least 8 in well below 30 s", len(q.Points()), sum)
	}
}

func TestOnly(t *testing.T) {
	s := Default()
	for text, want := range map[string]int{
		"":                                  36,
		"get_ratios=1":                      12,
		"get_ratios=1.0, client_threads=2":  3,
		"client_threads=1,client_threads=4": 18,
		"repeat=1":                          12,
		"repeat=1,repeat=3,get_ratios=.5":   8,
		"stores=mica,rates=0,hash=city64,repeat=2": 12,
		"store=mica,placement=CH-SH,get_ratio=1":   12,
	} {
		f, err := parseFilter(text, &s)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := len(f.keep(s.Points())); got != want {
			t.Errorf("%q keeps %d points, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"threads=1":        `--only: found the unknown key "threads", allowed: stores, placements`,
		"duration=1s":      `--only: found the unknown key "duration"`,
		"client_threads=3": "--only: found client_threads=3, the sweep has: 1, 2, 4",
		"client_threads=x": "--only: found client_threads=x, the sweep has: 1, 2, 4",
		"repeat=4":         "--only: found repeat=4, allowed: a whole number from 1 to 3",
		"get_ratios":       `--only: found "get_ratios", allowed: key=value`,
	} {
		if _, err := parseFilter(text, &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
