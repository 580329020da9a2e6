package main

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/performance"
)

func TestOnly(t *testing.T) {
	for of, want := range map[string]int{".": len(full(1)), "onesided": 1, "^bench$": 1, "mica|redis": 2} {
		parts, err := only(full(1), of)
		if err != nil || len(parts) != want {
			t.Errorf("%q: %d parts, %v, want %d", of, len(parts), err, want)
		}
	}
	for _, of := range []string{"nothing", "("} {
		if _, err := only(full(1), of); err == nil {
			t.Errorf("%q was taken", of)
		}
	}
}

// What has too few quiet repeats runs once more, by its whole name.
func TestAgain(t *testing.T) {
	const quiet, slow = "\t0.1 fixed-L1-ns\n", "\t0.2 fixed-L1-ns\n"
	all := must.Get(performance.Parse("pkg: dpukv/kvs/herd\n" +
		"BenchmarkSHM/clients=1-2 1 5 ns/op" + quiet + "BenchmarkSHM/clients=1-2 1 5 ns/op" + quiet +
		"BenchmarkSHM/clients=8-2 1 5 ns/op" + quiet + "BenchmarkSHM/clients=8-2 1 5 ns/op" + slow +
		"BenchmarkSHM/a.b-2 1 5 ns/op" + slow + "pkg: dpukv/bench\n" + "BenchmarkKeys-2 1 5 ns/op" + slow))(t)
	short := all.Short(2)
	if want := []string{"bench.Keys", "herd.SHM/a.b", "herd.SHM/clients=8"}; !slices.Equal(short, want) {
		t.Fatalf("short of quiet repeats: %q, want %q", short, want)
	}
	for _, c := range []struct{ p, want part }{
		{part{"bench", ".", ".", "1s", 2}, part{"bench", ".", "^BenchmarkKeys$", "1s", 2}},
		{
			part{".", "./kvs/herd", ".", "1s", 2},
			part{".", "./kvs/herd", `^BenchmarkSHM$/^a\.b$|^BenchmarkSHM$/^clients=8$`, "1s", 2},
		},
	} {
		if got := c.p.again(short); got == nil || *got != c.want {
			t.Errorf("%+v again: %+v, want %+v", c.p, got, c.want)
		}
	}
	if got := (&part{".", "./kvs/mica", ".", "1s", 2}).again(short); got != nil {
		t.Errorf("a part without such benchmarks: %+v", got)
	}
}
