package mica

import (
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// TestMoved checks that sessions count their own sockets, and the remote its control connection.
func TestMoved(t *testing.T) {
	kernel.NeedTCPInfo(t)
	server := startServer(t, testConfig())
	r := dial(t, server)
	opts := kvs.SessionOptions{Batch: 8, Window: 2, Connections: 3}
	s := kvstest.Open(t, r, opts)
	var requests []kvs.Request
	for i := range 100 {
		requests = append(requests, kvs.Request{Op: kvs.Set, Key: key(i), Value: key(i)})
	}
	do(t, s, requests)
	own, got := s.Traffic(), s.Moved().Sockets
	if want := opts.Connections * r.Facts().Workers; got.Sources != want {
		t.Errorf("%d sockets told, want %d", got.Sources, want)
	}
	if got.SentBytes <= own.SentBytes || got.ReceivedBytes <= own.ReceivedBytes {
		t.Errorf("with the handshakes the sockets moved %+v, the batches alone are %+v", got, own)
	}
	if got := r.Moved().Sockets; got.Sources != 1 || got.SentBytes == 0 || got.ReceivedBytes == 0 {
		t.Errorf("the control connection moved %+v", got)
	}
}
