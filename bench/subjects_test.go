package bench

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
	"dpukv/kvs/partition"
	"dpukv/load"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	one := limitLoads[0]
	subjects := []subject.Subject{ofPartition("partition/get-one", one, 1)}
	for _, l := range limitLoads {
		subjects = append(subjects, ofPartition("partition/"+l.name, l, 64))
	}
	set := limitLoad{"set", 8, load.Uniform, 0, 0, 0}
	subjects = append(subjects, ofPartition("partition/set", set, 64))
	for _, of := range []struct {
		name                string
		connections, window int
	}{
		{"mica/1x1", 1, 1}, {"mica/4x1", 4, 1}, {"mica/4x4", 4, 4}, {"mica/16x4", 16, 4},
		{"mica/1000x1", 1000, 1},
	} {
		subjects = append(subjects, ofMica(of.name, of.connections, of.window))
	}
	subjects = append(subjects, ofHerd("herd/1x32", 1), ofHerd("herd/8x32", 8))
	subject.Test(t, subjects...)
}

// ofPartition is a load of a partition in batches. Where others read beside an owner that writes,
// one reads, and nobody writes.
func ofPartition(name string, l limitLoad, batch int) subject.Subject {
	start := func(tb testing.TB, small bool) *subject.Running {
		keys := min(16_000_000, 1<<30/l.valueBytes)
		if l.most > 0 {
			keys = l.most
		}
		if small {
			keys = 1000
		}
		cfg := tableConfig(partition.Cache, partition.EREW, keys, l.valueBytes)
		if l.readers > 0 {
			cfg.Access = partition.CREW
		}
		t := must.Get(partition.New(cfg))(tb)
		tb.Cleanup(func() { _ = t.Close() })
		core := fill(t, keys, l.valueBytes)
		if l.readers > 0 {
			core = t.Core(1)
		}
		s := streamOf(load.Workload{Keys: keys, Dist: l.dist, GetRatio: l.getRatio, Seed: 1})
		w := newWalk(core, s, batch, l.valueBytes)
		return &subject.Running{Do: func(n int) error {
			w.do(n)
			return nil
		}}
	}
	return subject.Subject{Name: name, Kind: subject.Core, Start: start}
}
