package mica

import (
	"fmt"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// TestPolledConformance: server and clients that poll do all that those do that sleep.
func TestPolledConformance(t *testing.T) {
	st := kvstest.Polled(Store)
	for _, workers := range []int{1, 2} {
		if testing.Short() && workers == 2 {
			t.Log("a short run: one worker")
			continue
		}
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) {
			kvstest.Conformance(t, &st, kvstest.Config{Server: kvs.ServerConfig{Workers: workers}})
		})
	}
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Log("a short run: one worker with crew, two with erew")
	}
	for _, access := range []string{"erew", "crew"} {
		for _, workers := range []int{1, 2} {
			if testing.Short() && (access == "erew") == (workers == 1) {
				continue
			}
			t.Run(fmt.Sprint(access, " workers=", workers), func(t *testing.T) {
				kvstest.Conformance(t, &Store, kvstest.Config{
					Server: kvs.ServerConfig{Access: access, Workers: workers},
				})
			})
		}
	}
}
