package softroce

import (
	"bytes"
	"testing"
	"time"

	"dpukv/verbs"
)

// TestLostAck: a request whose only ACK is lost is sent again, done once, and acknowledged again.
func TestLostAck(t *testing.T) {
	lost := 0
	a, b := pair(t, verbs.RC, Options{hooks: hooks{received: func(p []byte, deliver func([]byte)) {
		if lost++; lost > 1 {
			deliver(p)
		}
	}}}, Options{})
	b.postRecv(7, 0, 100)
	a.post(a.send(1, 0, 100))
	status(t, a.sendCQ, 1, verbs.StatusSuccess, a, b)
	status(t, b.recvCQ, 7, verbs.StatusSuccess, b)
	if there, here := a.dev.Counters(), b.dev.Counters(); there["timeouts"] == 0 || here["duplicates"] == 0 {
		t.Errorf("want a time-out and a duplicate: %v, %v", there, here)
	}
}

// TestStaleAck: an ACK that comes again, behind later ones, changes nothing.
func TestStaleAck(t *testing.T) {
	var first []byte
	arrived := 0
	a, b := pair(t, verbs.RC, Options{AckTimeout: 5 * time.Second, hooks: hooks{received: func(p []byte, deliver func([]byte)) {
		if arrived++; arrived == 1 {
			first = bytes.Clone(p)
		} else if arrived == 3 {
			deliver(bytes.Clone(first))
		}
		deliver(p)
	}}}, Options{})
	for id := range uint64(4) {
		a.post(a.write(id, 0, 100))
		status(t, a.sendCQ, id, verbs.StatusSuccess, a, b)
	}
	if c := a.dev.Counters(); c["unexpected_ack"] != 1 || c["timeouts"] != 0 || c["retransmitted"] != 0 {
		t.Errorf("want one ACK that was not expected, and nothing sent again: %v", c)
	}
}
