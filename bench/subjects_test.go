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
	subjects := []subject.Subject{
		ofPartition("partition/get-one", limitLoads[0], 1),
		ofPartition("partition/set", limitLoad{"set", 8, load.Uniform, 0, 0, 0}, 64),
	}
	for _, l := range limitLoads {
		if l.readers == 0 { // readers beside a writer wait for it
			subjects = append(subjects, ofPartition("partition/"+l.name, l, 64))
		}
	}
	for _, of := range []struct {
		name                string
		connections, window int
	}{
		{"mica/1x1", 1, 1}, {"mica/4x4", 4, 4}, {"mica/16x4", 16, 4}, {"mica/1000x1", 1000, 1},
	} {
		subjects = append(subjects, ofMica(of.name, of.connections, of.window))
	}
	subjects = append(subjects, ofHerd("herd/1x32", 1), ofHerd("herd/8x32", 8))
	subject.Test(t, subjects...)
}

// ofPartition is a load of a partition in batches.
func ofPartition(name string, l limitLoad, batch int) subject.Subject {
	start := func(tb testing.TB, small bool) *subject.Running {
		keys := min(4_000_000, 1<<28/l.valueBytes) // far more than the caches hold, and soon filled
		if l.most > 0 {
			keys = l.most
		}
		if small {
			keys = 1000
		}
		t := must.Get(partition.New(tableConfig(partition.Cache, partition.EREW, keys, l.valueBytes)))(tb)
		tb.Cleanup(func() { _ = t.Close() })
		s := streamOf(load.Workload{Keys: keys, Dist: l.dist, GetRatio: l.getRatio, Seed: 1})
		w := newWalk(fill(t, keys, l.valueBytes), s, batch, l.valueBytes)
		return &subject.Running{Do: func(n int) error {
			w.do(n)
			return nil
		}}
	}
	return subject.Subject{Name: name, Kind: subject.Core, Start: start}
}
