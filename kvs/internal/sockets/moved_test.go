package sockets

import (
	"net"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestMovedIsWhatCrossed holds the kernel's counts of a session's sockets against its own.
func TestMovedIsWhatCrossed(t *testing.T) {
	kernel.NeedTCPInfo(t)
	const connections = 3
	opts := kvs.SessionOptions{Batch: 1, Window: 2, Connections: connections}
	s := newEchoSession(t, listen(t, echo), 1, opts)
	const rounds, bytes = 40, 5000 // more than a segment
	for range rounds {
		if !s.submit(t, make([]byte, bytes)) {
			t.Fatal("no room in windows that are empty")
		}
		for s.InFlight() > 0 {
			must.Get(s.Poll(nil, time.Second))(t)
		}
	}
	got, own := s.Moved().Sockets, s.Traffic()
	if got.Sources != connections || got.Shared {
		t.Errorf("%d sockets told, shared %v, want %d", got.Sources, got.Shared, connections)
	}
	if got.SentBytes-got.ResentBytes != own.SentBytes || got.ReceivedBytes != own.ReceivedBytes {
		t.Errorf("the kernel counts %d bytes sent, %d of them again, and %d received; "+
			"the session %d and %d", got.SentBytes, got.ResentBytes, got.ReceivedBytes,
			own.SentBytes, own.ReceivedBytes)
	}
	if got.SentDataPackets < rounds || got.ReceivedDataPackets < 1 ||
		got.SentPackets < got.SentDataPackets || got.ReceivedPackets < got.ReceivedDataPackets {
		t.Errorf("packets that make no sense: %+v", got)
	}
}

// TestMovedByAClosedConnection checks that a closed connection returns nothing, and that nothing
// breaks.
func TestMovedByAClosedConnection(t *testing.T) {
	kernel.NeedTCPInfo(t)
	c := must.Get(net.Dial("tcp", listen(t, silent)))(t)
	if got := MovedBy(c).Sockets; got.Sources != 1 {
		t.Errorf("an open connection told %+v", got)
	}
	c.Close()
	if got := MovedBy(c); got != (kvs.Moved{}) {
		t.Errorf("a closed connection told %+v", got)
	}
}
