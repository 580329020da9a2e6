package onesided

import (
	"fmt"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// largest fits a datagram of shm.
const largest = 2000

func TestConformance(t *testing.T) {
	all := []int{1, 2}
	if testing.Short() {
		all = all[1:]
		t.Log("a short run: two workers")
	}
	for _, workers := range all {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			kvstest.Conformance(t, &Store, kvstest.Config{
				Server: kvs.ServerConfig{Workers: workers, ValueBytes: largest},
				// It has room for all items in the table, and for all long keys beside it.
				Limits: kvstest.Limits{MaxValueBytes: largest, AnyOrder: true, Grows: true},
			})
		})
	}
}
