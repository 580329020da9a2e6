package performance

import (
	"flag"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/reference"
)

var update = flag.Bool("update", false, "write the tables of the pages anew")

// TestPages compares the tables of the pages with the result files.
func TestPages(t *testing.T) {
	all := must.Get(Read("../../../bench/results"))(t)
	used := ""
	for _, path := range []string{"../../../docs/PERFORMANCE.md", "../../../README.md"} {
		page := string(must.Get(os.ReadFile(path))(t))
		used += page
		want := must.Get(Rewrite(page, all))(t)
		if *update {
			must.Do(t, os.WriteFile(path, []byte(want), 0o644))
			page = want
		}
		if diff := reference.Diff(page, want); diff != "" {
			t.Errorf("%s differs from bench/results: go test ./internal/test/performance -update"+
				" writes it anew. The changes are:\n%s", path, diff)
		}
	}
	for name := range tables(nil) {
		if !strings.Contains(used, "<!-- results: "+name+" -->") {
			t.Errorf("no page shows the table %q", name)
		}
	}
}

const text = `processor: AMD family 26 model 2
date: 2026-11-26
pkg: dpukv/bench
BenchmarkLimit/keys=16000000/load=get-2 100 14.1 floor-ns/op 17.1 cpu-ns/op 1.213 x-floor 0.02 others-cpus
BenchmarkLimit/keys=16000000/load=get-2 100 14.1 floor-ns/op 17.3 cpu-ns/op 1.227 x-floor 0.10 others-cpus
BenchmarkLimit/keys=16000000/load=get-2 100 14.1 floor-ns/op 37.1 cpu-ns/op 9 x-floor 0.06 others-cpus 0.05 stolen-cpus
PASS
pkg: dpukv/kvs/redis
BenchmarkLimit/keys=16000000/load=get 1 8 x-floor
`

func TestParse(t *testing.T) {
	f := must.Get(Parse(text))(t)
	const name = "bench.Limit/keys=16000000/load=get x-floor"
	if got := f.Values[name]; len(got) != 2 || got[0] != 1.213 || got[1] != 1.227 {
		t.Errorf("quiet repeats: found %v", got)
	}
	if got := f.Disturbed[name]; len(got) != 1 || got[0] != 9 {
		t.Errorf("disturbed repeats: found %v", got)
	}
	if f.Header["processor"] != "AMD family 26 model 2" || f.Header["pkg"] != "" {
		t.Errorf("header: found %v", f.Header)
	}
	if _, err := Parse("pkg: a/b\nBenchmarkA 1 x x-floor\n"); err == nil {
		t.Error("a figure that is no number is no error")
	}
}

// TestFixedWork: a repeat of an older file counts whatever its fixed work took, which is no figure.
func TestFixedWork(t *testing.T) {
	f := must.Get(Parse("pkg: a/b\nBenchmarkA 1 2 x-floor 9 fixed-L1-ns 300 fixed-memory-ns 0.01 others-cpus\n" +
		"BenchmarkA 1 2 x-floor 1 fixed-L1-ns 200 fixed-memory-ns 0.2 stolen-cpus\n"))(t)
	if len(f.Values["b.A x-floor"]) != 1 || len(f.Disturbed["b.A x-floor"]) != 1 || count(f.Values) != 1 {
		t.Errorf("found %v, and %v set apart", f.Values, f.Disturbed)
	}
	if got := f.SetApart(); got != "1 of 2 repeats, as others or the hypervisor had over 0.1 CPUs" {
		t.Errorf("found %q", got)
	}
}

func TestFileName(t *testing.T) {
	for processor, want := range map[string]string{
		"AMD family 26 model 2":          "amd-26-2",
		"implementer 0x41 part 0xd0c":    "implementer-0x41-part-0xd0c",
		"Intel/QEMU family 6 model 0x0f": "intel-qemu-6-0x0f",
	} {
		if got := FileName(processor); got != want {
			t.Errorf("%q: found %q, want %q", processor, got, want)
		}
	}
}

func TestRewrite(t *testing.T) {
	f := must.Get(Parse(text))(t)
	one := []*Processor{{f.Header["processor"], []*File{f}, f.Values}}
	two := append(one, &Processor{Name: "other", Values: Values{"bench.Limit/keys=16000000/load=get x-floor": {2}}})
	const page = "A\n<!-- results: memory -->\nold\n<!-- end -->\nB\n"
	for _, test := range []struct {
		all   []*Processor
		wants []string
	}{
		{one, []string{
			"A\n", "| GET, 8-byte values | 16 M | 14.1 ns | 17.2 ns | 1.22 (1.21 to 1.23) |\n",
			"| half SET | 16 M | not measured | not measured | not measured |\n", "\nB\n",
		}},
		{two, []string{"| **other** | | | | |\n", "| not measured | not measured | 2.00 |\n"}},
		{[]*Processor{{Name: "none"}}, []string{"| not measured | | | | |\n"}},
	} {
		got := must.Get(Rewrite(page, test.all))(t)
		for _, want := range test.wants {
			if !strings.Contains(got, want) {
				t.Errorf("want %q in\n%s", want, got)
			}
		}
	}
	for _, wrong := range []string{"<!-- results: unknown -->\n<!-- end -->", "<!-- results: memory -->\n"} {
		if _, err := Rewrite(wrong, one); err == nil {
			t.Errorf("%q: found no error", wrong)
		}
	}
}
