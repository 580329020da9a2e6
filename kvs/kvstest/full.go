package kvstest

import (
	"fmt"
	"testing"

	"dpukv/kvs"
)

// Full stores 130 MiB. A store in store mode must refuse some of it.
func Full(t *testing.T, s kvs.Session) {
	t.Helper()
	value := make([]byte, kvs.MaxValueBytes)
	var sets []kvs.Request
	for i := range 2000 {
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: fmt.Appendf(nil, "%d", i), Value: value})
	}
	full := 0
	for i, a := range Do(t, s, nil, sets) {
		switch a.Status {
		case kvs.Full:
			full++
		case kvs.OK:
		default:
			t.Fatalf("set %d: %s", i, a.Status)
		}
	}
	if full == 0 {
		t.Error("all of 130 MiB were stored")
	}
}
