package memory

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/probe"
)

// TestChain: the chain passes every line of the block once.
func TestChain(t *testing.T) {
	for _, lines := range []int{1, 2, 3, 16, 1000} {
		block := make([]byte, lines*lineBytes)
		p, seen := chain(block, 7), map[unsafe.Pointer]bool{}
		for q := p; !seen[q]; q = *(*unsafe.Pointer)(q) {
			seen[q] = true
		}
		if len(seen) != lines {
			t.Errorf("a chain of %d lines passes %d", lines, len(seen))
		}
	}
}

// TestFollow: the loops make whole turns of single steps.
func TestFollow(t *testing.T) {
	block := make([]byte, 100*lineBytes)
	p := chain(block, 1)
	want := p
	for range 24 {
		want = *(*unsafe.Pointer)(want)
	}
	if got := follow(p, 17); got != want {
		t.Error("17 steps are not three turns")
	}
	if a, b := follow2(p, want, 8); a != follow(p, 8) || b != follow(want, 8) {
		t.Error("two chains differ from one")
	}
}

// TestPattern: every index line names another item, and a batch reads as many.
func TestPattern(t *testing.T) {
	p := newPattern(make([]byte, 1<<16), 4, 3)
	seen := map[uint64]bool{}
	for i := range p.mask + 1 {
		seen[*(*uint64)(unsafe.Pointer(&p.index[i*lineBytes]))] = true
	}
	if len(seen) != int(p.mask)+1 || len(p.items) != len(p.index) || p.mask != 511 {
		t.Errorf("%d items of %d, mask %d", len(seen), len(p.items)/lineBytes, p.mask)
	}
	p.steps(64)
	for _, offset := range p.offsets[:4] {
		if !seen[offset] {
			t.Errorf("an operation read the item %d", offset)
		}
	}
}

func task(settings ...string) *probe.Task {
	values := map[string][]string{}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		values[name] = []string{value}
	}
	cpus, _ := cpu.Allowed()
	return &probe.Task{
		Settings: Kind.All(values)[0], CPUs: cpus, Duration: 2 * time.Millisecond, Seed: 1,
	}
}

// TestMeasure measures with each test. The figures are those that the kind names.
func TestMeasure(t *testing.T) {
	for _, settings := range [][]string{
		{"test=latency", "block_bytes=65536", "pages=" + basePages(), "chains=2"},
		{"test=latency", "block_bytes=4096", "pages=thp"},
		{"test=kvs", "block_bytes=1048576", "batch=64", "pages=" + basePages()},
		{"test=triad", "array_bytes=65536", "threads=all", "code=study", "pages=" + basePages()},
		{"test=loaded", "block_bytes=65536", "load=0.5", "pages=" + basePages()},
	} {
		k := task(settings...)
		if slices.Contains(settings, "test=loaded") && len(k.CPUs) < 2 {
			continue // it is refused there: see TestExamine
		}
		if err := Kind.Examine(k.Settings, false); err != nil {
			if slices.Contains(settings, "pages=thp") {
				continue // the kernel has none
			}
			t.Fatal(err)
		}
		began := 0
		k.Began = func() { began++ }
		out := must.Get(Kind.Measure(t.Context(), k))(t)
		if began != 1 || out.StartedAt.IsZero() || out.Duration <= 0 || len(out.Figures) == 0 {
			t.Errorf("%v: began %d times, %+v", settings, began, out)
		}
		for name, value := range out.Figures {
			known := slices.ContainsFunc(Kind.Figures, func(f probe.Figure) bool { return f.Name == name })
			// A busy machine may leave the copiers no time.
			mayBeZero := name == "beyond_l1_ns" || name == "load_bytes_per_s"
			if !known || value < 0 || value == 0 && !mayBeZero {
				t.Errorf("%v: %s = %v", settings, name, value)
			}
		}
	}
}

// TestExamine: what the machine lacks is refused before anything starts, with what to do.
func TestExamine(t *testing.T) {
	other := "64k"
	if basePages() == other {
		other = "4k"
	}
	for want, settings := range map[string][]string{
		"allowed on this kernel: " + basePages(): {"pages=" + other},
		"bytes of memory":                        {"block_bytes=1099511627776", "pages=" + basePages()},
		"vm.nr_hugepages=":                       {"block_bytes=1099511627776", "pages=huge"},
		"threads: found 1024, allowed: up to": {
			"test=copy", "array_bytes=65536", "threads=1024", "pages=" + basePages(),
		},
	} {
		if err := Kind.Examine(task(settings...).Settings, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", settings, err, want)
		}
	}
}

// TestUses: a test has only the axes that it uses.
func TestUses(t *testing.T) {
	got := Kind.All(map[string][]string{
		axisTest: {testLatency, testKVS, "copy"}, axisBlock: {"1024"}, axisBatch: {"1"},
	})
	want := []probe.Settings{
		"test=latency block_bytes=1024 pages=thp chains=1",
		"test=kvs block_bytes=1024 pages=thp batch=1",
		"test=copy pages=thp array_bytes=auto threads=1 code=vector",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
