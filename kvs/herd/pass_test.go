package herd

import (
	"encoding/binary"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/verbs"
)

// TestRepeatsOfOneLeaveRoom checks two clients. One constantly repeats as many requests as a pass
// takes. The worker must still find the other's repeated request.
func TestRepeatsOfOneLeaveRoom(t *testing.T) {
	server, device := fuzzServer(t)
	w := server.workers[0]
	open := func(slots int, qpn uint32) []byte {
		c := &client{server: server, conn: newSimConn(nil, &simFiles{}), number: qpn, pd: server.pd}
		bytes := simMemory(slots * 64)
		in := must.Get(w.newInbox(c, bytes, endpoint{UD: verbs.Endpoint{QPN: qpn}}))(t)
		w.inboxes = append(w.inboxes, in)
		for i := range slots {
			putRequest(bytes[i*64:(i+1)*64], uint32(slots+i),
				&kvs.Request{Op: kvs.Get, Key: []byte("k")}, nil, lineBytes)
		}
		return bytes
	}
	greedy, modest := open(2*passOps, 1), open(1, 2)
	step := func() { must.Get(w.step())(t) }
	repeat := func(slots []byte) {
		for end := 64; end <= len(slots); end += 64 {
			word := (*control)(ptr(slots[end-wordBytes:]))
			*word = word.again()
		}
	}
	for range 8 {
		step()
	}
	answered := false
	device.deliver = func(qpn uint32, _ answer, _ []byte) { answered = answered || qpn == 2 }
	repeat(modest)
	for range 4 * scanEvery {
		repeat(greedy)
		step()
	}
	if !answered {
		t.Error("the other's repeated request was not found")
	}
}

// TestConnectionBytes checks that a connection without slots takes no more memory than reported,
// whatever it has sent.
func TestConnectionBytes(t *testing.T) {
	const connections = 100
	server := startServer(t, testConfig())
	whole := frameBytes(kindJoin, 2)
	head := frameOf(kindJoin, "")
	binary.LittleEndian.PutUint32(head[8:], uint32(whole))
	sent := slices.Concat(frameOf(kindHello, "{}"), head, make([]byte, whole-1))
	used := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse)
	}
	runtime.GC()
	before := used()
	for range connections {
		c := must.Get(net.Dial("tcp", server.Addr()))(t)
		defer c.Close()
		must.Get(c.Write(sent))(t)
	}
	arrived := func() (n int) {
		server.mu.Lock()
		defer server.mu.Unlock()
		return len(server.clients)
	}
	for deadline := time.Now().Add(time.Minute); arrived() < connections; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections", arrived())
		}
	}
	got := (used() - before) / connections
	if most := connectionBytes(2); got > most {
		t.Errorf("%d bytes a connection, want at most %d", got, most)
	}
	t.Logf("%d bytes a connection", got)
}

// TestResidence checks that the time of a pass counts for each of its operations, until the answers
// are posted, and that a pass without requests counts nothing.
func TestResidence(t *testing.T) {
	const wait = 3 * time.Millisecond
	server, device := fuzzServer(t)
	in, bytes := fuzzInbox(t, server)
	w := server.workers[0]
	device.deliver = func(uint32, answer, []byte) { time.Sleep(wait) }
	step := func() { must.Get(w.step())(t) }
	step()
	if w.counters.ResidenceNs != 0 {
		t.Errorf("a pass without requests: %d ns", w.counters.ResidenceNs)
	}
	first := in.next
	for i := range uint32(2) {
		at := int((first+i)&(in.count-1)) * 64
		putRequest(bytes[at:at+64], first+i, &kvs.Request{Op: kvs.Get, Key: []byte("k")}, nil, lineBytes)
	}
	for range 3 {
		step()
	}
	// One pass with two requests, whose answers take twice the wait.
	if w.counters.Ops != 2 || w.counters.Frames != 1 || w.counters.ResidenceNs < 2*2*uint64(wait) {
		t.Errorf("%d operations in %d passes: %d ns, want 2 in 1 and at least %d", w.counters.Ops,
			w.counters.Frames, w.counters.ResidenceNs, 2*2*wait)
	}
}

// TestOverwrittenSinceReady checks a slot that the client writes again after ready has counted it. The
// worker takes what is before it, and what is in it only in its turn.
func TestOverwrittenSinceReady(t *testing.T) {
	server, _ := fuzzServer(t)
	in, slots := fuzzInbox(t, server)
	w := server.workers[0]
	put := func(sequence uint32) {
		at := int(sequence%simSlots) * MinSlotBytes
		putRequest(slots[at:at+MinSlotBytes], sequence, &kvs.Request{Op: kvs.Get, Key: []byte("k")}, nil, lineBytes)
	}
	first := in.next
	put(first)
	put(first + 1)
	ready := in.ready(passOps)
	put(first + 1 + simSlots) // of the next lap
	if n := w.fillReady(in, 0, ready); ready != 2 || n != 1 || in.next != first+1 || in.ending {
		t.Errorf("of %d ready requests %d are taken, and %d is next after %d", ready, n, in.next, first)
	}
}
