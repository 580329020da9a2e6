package sweep

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/load"
	"dpukv/placement/submode"
)

// some draws one to three of the values, each once.
func some[T comparable](t *rapid.T, name string, values ...T) []T {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 1, min(3, len(values)), rapid.ID[T]).Draw(t, name)
}

func anySweep(t *rapid.T) Sweep {
	s := Sweep{
		Axes: axes{
			"store": {"mica"}, "placement": some(t, "placement", "CH-SH", "CDH-SH", "MY-1"),
			"filter":         some(t, "filter", "none", "drop-client:192.0.2.1"),
			"submode":        some(t, "submode", submode.Names()...),
			"server_threads": some(t, "server_threads", "1", "2"),
			"client_threads": some(t, "client_threads", "1", "2", "4"),
			"protocol":       some(t, "protocol", "default", "binary"),
			"build":          {"none"},
			"neighbour":      some(t, "neighbour", "none", "cpu", "memory"),
			"mix":            some(t, "mix", "none"), // with others, it matters what a file leaves out
			"trace":          some(t, "trace", "none"),
			"trace_sample":   some(t, "trace_sample", "1", "1/64"),
			"trace_range":    some(t, "trace_range", "none", "5-10"),
			"get_ratio":      some(t, "get_ratio", "1", "0.95", "0.5", "0", fmt.Sprint(1.0/3)),
			"set_after":      some(t, "set_after", "none", "get"),
			"dist":           some(t, "dist", "uniform", "zipf:0.99", "zipf:0.5"),
			"keys":           some(t, "keys", "1", "1000", "1000000"),
			"key_bytes":      some(t, "key_bytes", "8", "16", "16-40"),
			"value_bytes":    some(t, "value_bytes", "8", "32", "32-64"),
			"value_size_by":  some(t, "value_size_by", "set", "key"),
			"batch":          some(t, "batch", "1", "64"), "window": some(t, "window", "1", "4"),
			"connections": some(t, "connections", "1", "2"),
			"rate":        some(t, "rate", "0", "1000000", "12.5"),
			"arrivals":    some(t, "arrivals", "constant", "poisson", "etc"),
			"hash":        some(t, "hash", "city64", "xxh64"),
			"requests":    some(t, "requests", "0", "1000"), "reconnect_every": some(t, "reconnect_every", "0", "10"),
			"key_prefix": some(t, "key_prefix", "none", "dpukv:"), "ttl": some(t, "ttl", "none", "1m0s"),
			"compute":     some(t, "compute", "0s", "5µs"),
			"on_miss":     some(t, "on_miss", "refuse", "allow", "fill"),
			"fill_delay":  some(t, "fill_delay", "0s", "1ms"),
			"client_wait": some(t, "client_wait", "sleep", "poll"),
			"memory":      some(t, "memory", "auto", "64MiB"),
			"mode":        some(t, "mode", "cache", "store"), "access": some(t, "access", "erew", "crew"),
			"engine_threads": some(t, "engine_threads", "server_threads", "1", "4"),
			"answers":        some(t, "answers", "read", "write"), "wait": some(t, "wait", "poll", "nap"),
			"server_wait":   some(t, "server_wait", "sleep", "poll"),
			"neighbourhood": some(t, "neighbourhood", "auto", "4"), "inline": some(t, "inline", "yes", "no"),
			"validate": some(t, "validate", "checksum", "none"),
		},
		Duration:     time.Duration(rapid.Int64Range(1e7, 1e12).Draw(t, "duration")),
		Warmup:       time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "warmup")),
		RepeatsUntil: rapid.SampledFrom([]float64{0, 0.1, 2.5, 50}).Draw(t, "repeats_until"),
		Repeats:      rapid.IntRange(1, 4).Draw(t, "repeats"), Seed: rapid.Uint64Range(0, 1<<63-1).Draw(t, "seed"),
	}
	for i := range sweepKeys { // a new key has the value of files without it
		k := &sweepKeys[i]
		if _, drawn := s.Axes[k.name]; !drawn && k.swept() {
			s.Axes[k.name] = k.texts(&s)
		}
	}
	return s
}

// smallSweep draws a sweep with few enough points to list.
func smallSweep(t *rapid.T) Sweep {
	s := Default()
	any := anySweep(t)
	s.Axes = s.Axes.with("client_threads", any.Axes["client_threads"]...)
	for _, key := range []string{"get_ratio", "rate", "batch"} {
		s.Axes = s.Axes.with(key, any.Axes[key]...)
	}
	s.Repeats, s.Seed = any.Repeats, any.Seed
	return s
}

func TestPointsAreAllCombinationsOncePerRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSweep(t)
		points := s.Points()
		configs := len(s.Axes["get_ratio"]) * len(s.Axes["client_threads"]) * len(s.Axes["rate"]) * len(s.Axes["batch"])
		if len(points) != configs*s.Repeats || s.Size(MaxPoints) != len(points) {
			t.Fatalf("%d points, size says %d, want %d", len(points), s.Size(MaxPoints), configs*s.Repeats)
		}
		ids := map[string]bool{}
		for i, pt := range points {
			if want := i/configs + 1; pt.Repeat != want {
				t.Fatalf("point %d is of repeat %d, want %d: a repeat begins only when the one before is through", i,
					pt.Repeat, want)
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
		// One more value on an axis adds points and renames none.
		wider := s
		wider.Axes = s.Axes.with("window", s.Axes["window"][0], "99")
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

func TestOnly(t *testing.T) {
	s := Default()
	for text, want := range map[string]int{
		"":                                       72,
		"get_ratio=1":                            24,
		"get_ratio=1.0, client_threads=2":        6,
		"client_threads=1,client_threads=4":      36,
		"repeat=1":                               12,
		"repeat=1,repeat=3,get_ratio=.5":         8,
		"store=mica,rate=0,hash=city64,repeat=2": 12,
		"store=mica,placement=CH-SH,get_ratio=1": 24,
	} {
		f, err := ParseSelection(text, &s)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := len(f.Keep(s.Points())); got != want {
			t.Errorf("%q keeps %d points, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"threads=1":        `--only: found the unknown key "threads", allowed: store, placement`,
		"duration=1s":      `--only: found the unknown key "duration"`,
		"client_threads=3": "--only: found client_threads=3, the sweep has: 1, 2, 4",
		"client_threads=x": "--only: found client_threads=x, the sweep has: 1, 2, 4",
		"repeat=7":         "--only: found repeat=7, allowed: a whole number from 1 to 6",
		"get_ratio":        `--only: found "get_ratio", allowed: key=value`,
	} {
		_, err := ParseSelection(text, &s)
		must.Fail(t, err, want)
	}
}

var updateIDs = flag.Bool("update-ids", false, "write testdata/ids.golden anew")

// TestIDsStayTheSame compares the IDs of many points, and their order, with those of the build that
// introduced them. A run of an older build can be continued only with the same IDs. IDs name files.
func TestIDsStayTheSame(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		"repeats: 1",
		"repeats: 3\nseed: 7\nget_ratio: [0, 0.3333333333333333, 1e-7]\nclient_threads: [1, 16]",
		"get_ratio: 1\nclient_threads: 1\nrate: [0, 1e6, 12.5, 1e12, 0.0000001]\ndist: [uniform, zipf:0.99]",
		"store: [mica, herd, memcached, redis]\nget_ratio: 0.5\nclient_threads: 2\nrepeats: 1",
		"store: [mica, herd]\nget_ratio: 1\nclient_threads: 1\nbatch: [1, 16]\nwindow: [1, 2]\nconnections: [1, 3]",
		"store: herd\nkeys: [1, 4294967296]\nkey_bytes: [8, 255]\nvalue_bytes: [0, 65535]\nget_ratio: " +
			"1\nclient_threads: 1",
		"hash: [xxh64, none, city64]\nmode: [cache, store]\naccess: [erew, crew, crcw]\nget_ratio: " +
			"1\nclient_threads: 1",
		"store: memcached\nprotocol: [meta, binary]\nget_ratio: 1\nclient_threads: 1\nrepeats: 2",
		"store: redis\nattach: 192.0.2.7:6379\nget_ratio: 1\nclient_threads: 1\nrepeats: 2",
		"placement: [CH-SH, CDH-SH]\nsubmode: [sm1, off-path]\nfilter: [none, " +
			"\"drop-client:192.0.2.1\"]\nget_ratio: 1\nclient_threads: [4]",
		"duration: 10s\nwarmup: 0s\nseed: 9223372036854775807\nget_ratio: 1\nclient_threads: 1",
		"server_threads: [1, 2, 1024]\nget_ratio: 0.95\nclient_threads: [1024]",
	} {
		s := parsed(t, text+"\narrivals: constant")
		if !strings.Contains(text, "repeats: ") {
			s.Repeats = 3 // the default of that build
		}
		b.WriteString("# " + strings.ReplaceAll(text, "\n", " | ") + "\n")
		for _, pt := range s.Points() {
			b.WriteString(pt.ID + "\n")
			if !regexp.MustCompile(`^[A-Za-z0-9.-]+$`).MatchString(pt.ID) || len(pt.ID) > 100 {
				t.Errorf("%q does not make a good file name", pt.ID)
			}
		}
	}
	const file = "testdata/ids.golden"
	if *updateIDs {
		must.Do(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want := must.Get(os.ReadFile(file))(t)
	if got := b.String(); got != string(want) {
		t.Errorf("the IDs changed: no run begun before can be continued. Got\n%s", got)
	}
}

// TestArrivalsFollowTheLoop: without the key, an open loop has a Poisson process. A closed loop has
// none, and its IDs stay.
func TestArrivalsFollowTheLoop(t *testing.T) {
	s := parsed(t, "rate: [0, 1e6]\nclient_threads: 1\nget_ratio: 1\nrepeats: 1\n")
	want := map[float64]string{0: load.Constant, 1e6: load.Poisson}
	for _, c := range s.Configs() {
		if c.Arrivals != want[c.RateOps] || c.Validate() != nil {
			t.Errorf("rate %v: arrivals %q, %v", c.RateOps, c.Arrivals, c.Validate())
		}
		if c.RateOps == 0 && strings.Contains(string(c.identity()), "Arrivals") {
			t.Errorf("a closed loop has arrivals in its ID: %s", c.identity())
		}
	}
	if s.Size(MaxPoints) != 2 || len(s.Points()) != 2 {
		t.Errorf("%d points, size says %d, want 2", len(s.Points()), s.Size(MaxPoints))
	}
	again, err := Parse("sweep.yaml", s.Marshal())
	if err != nil || len(Differences(&s, &again)) > 0 || again.Points()[1] != s.Points()[1] {
		t.Errorf("written and read again, it differs: %v %v", Differences(&s, &again), err)
	}
	f, err := ParseSelection("arrivals=poisson", &s)
	if err != nil || len(f.Keep(s.Points())) != 1 {
		t.Errorf("arrivals=poisson does not select the open loop: %v", err)
	}
}

// TestSeedsOfRepeats: each repeat has operations and arrivals of its own, by the sweep's seed.
func TestSeedsOfRepeats(t *testing.T) {
	s := Default()
	s.Repeats = 5
	seeds, again := map[int]uint64{}, s.Points()
	for i, pt := range s.Points() {
		if seed, there := seeds[pt.Repeat]; there && seed != pt.Seed || again[i].Seed != pt.Seed {
			t.Fatalf("repeat %d has the seeds %d, %d and %d", pt.Repeat, seed, pt.Seed, again[i].Seed)
		}
		seeds[pt.Repeat] = pt.Seed
	}
	different := map[uint64]bool{}
	for _, seed := range seeds {
		different[seed] = true
		if seed >= 1<<53 {
			t.Errorf("the seed %d is no exact number in JSON's readers", seed)
		}
	}
	if len(different) != 5 || seeds[1] != s.Seed {
		t.Errorf("seeds by repeat: %v, of %d", seeds, s.Seed)
	}
}

// TestDefaultPointsHavePercentileIntervals: they need ten of the client's intervals.
func TestDefaultPointsHavePercentileIntervals(t *testing.T) {
	for name, s := range map[string]Sweep{"default": Default(), "quick": Quick()} {
		if n := s.Duration / client.DefaultInterval; n < 10 {
			t.Errorf("%s: a point has %d intervals, want ten", name, n)
		}
	}
}
