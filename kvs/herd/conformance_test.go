package herd

import (
	"fmt"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

func TestConformance(t *testing.T) {
	const largest = 2000 // fits a datagram of shm
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			kvstest.Conformance(t, &Store, kvstest.Config{
				Server: kvs.ServerConfig{Workers: workers, ValueBytes: largest},
				Limits: kvstest.Limits{MaxValueBytes: largest},
			})
		})
	}
}
