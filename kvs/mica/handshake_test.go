package mica

import (
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// TestWelcomeIsBounded checks that a server that reports millions of workers does not get millions
// of connections.
func TestWelcomeIsBounded(t *testing.T) {
	for _, test := range []struct {
		workers, partitions, batch int
		want                       bool
	}{
		{1, 1, 1, true},
		{MaxWorkers, partition.MaxPartitions, MaxBatch, true},
		{MaxWorkers + 1, MaxWorkers + 1, MaxBatch, false},
		{1, partition.MaxPartitions + 1, MaxBatch, false},
		{1, 1, MaxBatch + 1, false},
		{0, 0, 1, false},
		{1, 1, 0, false},
	} {
		w := welcome{
			Facts: kvs.Facts{
				Workers: test.workers, Partitions: test.partitions, MaxBatch: test.batch, MinHitRate: 1,
				Store: "mica", Hash: "city64", Setup: kvs.Setup{Mode: "cache", Access: "crew"},
			},
			Ports: make([]int, test.workers),
		}
		if err := w.check(); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
		noHash := w
		if noHash.Facts.Hash = ""; noHash.check() == nil {
			t.Error("a server without a hash function was accepted")
		}
		if w.Facts.MinHitRate = -5; w.check() == nil {
			t.Error("a server set the gate that judges it")
		}
	}
}
