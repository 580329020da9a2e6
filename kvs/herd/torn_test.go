package herd

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/kvs"
)

// TestSlotsThatChange: a client that writes its slots while they are read, key, value, hash and
// control word, harms nobody. The memory is mapped, as that of a device is: the race detector does
// not see it, and these are races.
func TestSlotsThatChange(t *testing.T) {
	server, device := fuzzServer(t)
	w := server.workers[0]
	slotBytes := server.cfg.SlotBytes
	mapped, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	slots := mapped[:simSlots*slotBytes]
	c := &client{server: server, conn: newSimConn(nil, &simFiles{}), number: 1, pd: server.pd}
	in, err := w.newInbox(c, slots, endpoint{})
	if err != nil {
		t.Fatal(err)
	}
	good, others := fuzzInbox(t, server)
	w.inboxes = append(w.inboxes, in)
	var next atomic.Uint32
	next.Store(simSlots)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() { tear(slots, slotBytes, &next, stop) })
	var answers []answer
	device.deliver = func(qpn uint32, word answer, value []byte) {
		if qpn == 9 {
			answers = append(answers, word)
			if word.sequence()%2 == 1 && (word.status() != kvs.OK || string(value) != "the value") {
				t.Errorf("request %d: %s %q", word.sequence(), word.status(), value)
			}
		}
	}
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for i := range rounds {
		n := good.next
		op, value := kvs.Set, []byte("the value")
		if n%2 == 1 {
			op, value = kvs.Get, nil
		}
		at := int(n&(simSlots-1)) * slotBytes
		putRequest(others[at:at+slotBytes], n, &kvs.Request{Op: op, Key: []byte("mine"), Hash: 1 << 20}, value)
		for had := len(answers); len(answers) == had; {
			if _, err := w.step(); err != nil {
				t.Fatal(err)
			}
			next.Store(in.next)
		}
		if in.ending { // begin again: its writer goes on
			in.ending = false
			in.next = simSlots
			clear(in.taken)
		}
		if good.ending {
			t.Fatalf("another client is shown out in round %d", i)
		}
	}
	close(stop)
	writer.Wait()
	if len(answers) != rounds || w.counters.Ops <= uint64(rounds) {
		t.Errorf("%d answers to %d requests, %d operations: the one that tears had none", len(answers), rounds, w.counters.Ops)
	}
	close(w.ended)
	close(server.workers[1].ended)
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// tear writes requests that are legal when their control word is written, and changes all their
// words all the time.
func tear(slots []byte, slotBytes int, next *atomic.Uint32, stop <-chan struct{}) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(at int) *uint64 { return (*uint64)(unsafe.Pointer(&slots[at])) }
	for i := 0; ; i++ {
		if i%1024 == 0 {
			select {
			case <-stop:
				return
			default:
			}
		}
		n := next.Load() + uint32(rng.IntN(2))
		end := int(n&(simSlots-1)+1) * slotBytes
		for at := end - slotBytes; at < end-tailBytes; at += wordBytes {
			atomic.StoreUint64(word(at), uint64(rng.IntN(3))) // a few keys and values, which meet
		}
		atomic.StoreUint64(word(end-tailBytes), uint64(rng.IntN(4))) // of the first worker's partition
		control := makeControl(n, kvs.Get+kvs.Op(rng.IntN(4)), 8+8*rng.IntN(2), 0)
		if op := control.op(); op == kvs.Set || op == kvs.Add {
			control |= 8
		}
		if rng.IntN(4000) == 0 {
			control ^= 1 << rng.IntN(27) // perhaps not legal
		}
		atomic.StoreUint64(word(end-wordBytes), uint64(control))
	}
}
