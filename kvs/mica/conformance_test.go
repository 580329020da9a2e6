package mica

import (
	"fmt"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// TestPolledConformance: ends that poll do all that those do that sleep. Two pollers on busy CPUs wait
// for each other's time slices, so only a long run has both.
func TestPolledConformance(t *testing.T) {
	for name, ends := range map[string]kvs.Waits{
		"the server": {Server: true}, "the client": {Clients: true}, "both": {Server: true, Clients: true},
	} {
		if testing.Short() && name != "the server" {
			t.Logf("a short run: without the case %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			st := kvstest.Polled(Store, ends)
			kvstest.Conformance(t, &st, kvstest.Config{})
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
					Server: kvs.ServerConfig{Setup: kvs.Setup{Access: access}, Workers: workers},
				})
			})
		}
	}
}
