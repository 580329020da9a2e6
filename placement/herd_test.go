package placement

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestEachStoreHasItsStudysKnobs: what the file leaves open is each store's own, what it says is for all.
func TestEachStoreHasItsStudysKnobs(t *testing.T) {
	of := func(store string, keyBytes, valueBytes, batch int, hash string) (c Config) {
		c.Store, c.KeyBytes, c.ValueBytes, c.Batch, c.Hash = store, keyBytes, valueBytes, batch, hash
		return c
	}
	for _, test := range []struct {
		file string
		want []Config // less what does not differ here
	}{
		{"stores: [mica, herd]\n", []Config{
			of("mica", 8, 8, 64, "city64"),
			of("herd", 16, 32, 32, "city128"),
		}},
		{"stores: [mica, herd]\nbatch: [16, 32]\n", []Config{
			of("mica", 8, 8, 16, "city64"),
			of("mica", 8, 8, 32, "city64"),
			of("herd", 16, 32, 16, "city128"),
			of("herd", 16, 32, 32, "city128"),
		}},
		{"stores: herd\nhash: xxh64\nkey_bytes: 8\n", []Config{
			of("herd", 8, 32, 32, "xxh64"),
		}},
	} {
		s, err := ParseSweep("s.yaml", []byte(test.file+"get_ratios: 1\nclient_threads: 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []Config
		for _, c := range s.configs() {
			got = append(got, of(c.Store, c.KeyBytes, c.ValueBytes, c.Batch, c.Hash))
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\ngot  %+v\nwant %+v", test.file, got, test.want)
		}
		if s.size(100) != len(test.want)*s.Repeats {
			t.Errorf("%q: counted as %d points, has %d", test.file, s.size(100), len(test.want)*s.Repeats)
		}
		again, err := ParseSweep("again.yaml", s.Marshal())
		if err != nil {
			t.Fatal(err)
		}
		if diff := differences(&s, &again); diff != nil {
			t.Errorf("%q: written and read, %s", test.file, diff)
		}
	}
}

// TestOnlyOfKnobs: a point can be picked by a value that the file does not say.
func TestOnlyOfKnobs(t *testing.T) {
	s, err := ParseSweep("s.yaml", []byte("stores: [mica, herd]\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseFilter("batch=32", &s)
	if err != nil {
		t.Fatal(err)
	}
	kept := f.keep(s.Points())
	if len(kept) != len(s.Points())/2 {
		t.Errorf("%d of %d points kept", len(kept), len(s.Points()))
	}
	for _, p := range kept {
		if p.Store != "herd" {
			t.Errorf("%s kept", p.ID)
		}
	}
}

func TestHERDRefusals(t *testing.T) {
	for file, want := range map[string]string{
		"stores: [mica, herd]\nwindow: 64\n":                            "s.yaml:1:16: window: found 64 batches of 32",
		"stores: herd\nvalue_bytes: 5000\n":                             "s.yaml:1:9: value_bytes: found 5000",
		"stores: herd\naccess: crew\n":                                  "s.yaml:1:9: access: found crew",
		"stores: [mica, herd]\nbatch: 2048\nkeys: 10000\nhash: xxh64\n": "batch: found 2048, allowed: at most 1024, which is what herd takes",
	} {
		s, err := ParseSweep("s.yaml", []byte(file))
		if err == nil {
			testbed := Local()
			err = check(&s, &testbed, []int{0, 1})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", file, err, want)
		}
	}
}

// TestSweepOfBothStores measures a point of each.
func TestSweepOfBothStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	text := "stores: [mica, herd]\nget_ratios: 0.95\nclient_threads: 1\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\nrepeats: 1\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr tail
	plan, err := NewPlan(Options{
		SweepFile: file, Dir: dir, Version: "test", Stdout: &stdout, Stderr: &stderr,
		command: []string{os.Args[0], "node"}, plain: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := plan.Run(t.Context()); err != nil || sum.Measured != 2 {
		t.Fatalf("got %+v, %v%s", sum, err, stderr.lines())
	}
	for _, p := range readPoints(t, dir) {
		want := [2]string{"tcp", ""}
		if p.Store == "herd" {
			want = [2]string{"rdma", "shm"}
		}
		if got := [2]string{p.Transport, p.Provider}; got != want || p.Emulated != (p.Store == "herd") || p.Errors > 0 || p.Ops == 0 {
			t.Errorf("%+v", p)
		}
	}
}
