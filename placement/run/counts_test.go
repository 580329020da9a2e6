package run

import (
	"strings"
	"testing"

	"dpukv/kvs"
	"dpukv/results"
)

// TestServerMovedInWords: the server's losses are told by the share that it sent again.
func TestServerMovedInWords(t *testing.T) {
	var p results.Point
	m := kvs.Moved{Sockets: kvs.Packets{SentDataPackets: 1000, ResentPackets: 1}}
	if noteServerMoved(&p, m); len(p.Warnings) > 0 || p.ServerMovedLoad.Sockets.SentDataPackets != 1000 {
		t.Errorf("at the limit: %q, %+v", p.Warnings, p.ServerMovedLoad)
	}
	m.Sockets.ResentPackets = 20
	want := "20 of 1000 sent in the load (2 %; 0.1 % is the limit)"
	if noteServerMoved(&p, m); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], want) {
		t.Errorf("got %q, want %q in it", p.Warnings, want)
	}
}
