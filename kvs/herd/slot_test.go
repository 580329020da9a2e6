package herd

import (
	"bytes"
	"testing"

	"dpukv/internal/machine"
	"dpukv/internal/test/litmus"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/verbs/nasty"
)

// TestOrderOfSlot checks the argument of peek on Armv8: a worker that finds a slot's control word
// finds the whole request. The client's side is the code of verbs/shm and verbs/softroce: plain
// copies, then the last word with release order. A NIC keeps that order by itself (doc.go).
func TestOrderOfSlot(t *testing.T) {
	client := func(control func(string, int) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			litmus.Store("value", 1), litmus.Store("key", 1), litmus.Store("hash", 1),
			control("control", 1),
		}
	}
	worker := func(control func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			control("c", "control"), litmus.Load("h", "hash"), litmus.Load("k", "key"),
			litmus.Load("v", "value"),
		}
	}
	old := func(o litmus.Outcome) bool { return o["c"] == 1 && (o["h"] == 0 || o["k"] == 0 || o["v"] == 0) }
	litmus.Check(t, map[string]litmus.Case{
		"as it is":               litmus.Forbids(old, client(litmus.StoreRelease), worker(litmus.LoadAcquire)),
		"control stored plainly": litmus.Allows(old, client(litmus.Store), worker(litmus.LoadAcquire)),
		"control loaded plainly": litmus.Allows(old, client(litmus.StoreRelease), worker(litmus.Load)),
		// request computes all addresses from the word, which would keep Arm from loading early.
		// But a compiler might compute them differently.
		"addresses from a plain load": litmus.Forbids(old,
			client(litmus.StoreRelease),
			litmus.Thread{
				litmus.Load("c", "control"), litmus.Load("h", "hash").At("c"),
				litmus.Load("k", "key").At("c"), litmus.Load("v", "value").At("c"),
			},
		),
	})
}

// TestOrderOfReusedSlot checks that a worker never sees the next request in place of the one it is
// reading. The client writes the next request after it has the answer, and a worker reads before it
// answers. The answer is stored with release order and loaded with acquire order (verbs/shm), or
// goes through the kernel (verbs/softroce).
func TestOrderOfReusedSlot(t *testing.T) {
	client := func(answer func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			litmus.Store("key", 1), litmus.StoreRelease("control", 1), answer("a", "answer"),
			litmus.Store("key", 2), litmus.StoreRelease("control", 2),
		}
	}
	worker := func(answer func(string, int) litmus.Instruction) litmus.Thread {
		return litmus.Thread{litmus.LoadAcquire("c", "control"), litmus.Load("k", "key"), answer("answer", 1)}
	}
	// Without an answer the client would not have gone on.
	next := func(o litmus.Outcome) bool { return o["a"] == 1 && o["c"] == 1 && o["k"] == 2 }
	old := func(o litmus.Outcome) bool { return o["a"] == 1 && o["c"] == 1 && o["k"] == 0 }
	litmus.Check(t, map[string]litmus.Case{
		"as it is":              litmus.Forbids(next, client(litmus.LoadAcquire), worker(litmus.StoreRelease)),
		"as it is, first":       litmus.Forbids(old, client(litmus.LoadAcquire), worker(litmus.StoreRelease)),
		"answer stored plainly": litmus.Allows(next, client(litmus.LoadAcquire), worker(litmus.Store)),
		"answer loaded plainly": litmus.Allows(next, client(litmus.Load), worker(litmus.StoreRelease)),
		// The client continues only if there is an answer: Arm makes no store before that is
		// decided.
		"plainly, behind a branch": litmus.Forbids(next,
			litmus.Thread{
				litmus.Store("key", 1), litmus.StoreRelease("control", 1), litmus.Load("a", "answer"),
				litmus.Branch("a"), litmus.Store("key", 2), litmus.StoreRelease("control", 2),
			},
			worker(litmus.StoreRelease),
		),
	})
}

// TestEveryOrder gives the lines of a SET effect in every order, with a look of the worker at every
// choice of the times between them. The slot held another SET of the same size before. It prints
// the smallest history with a wrong value.
func TestEveryOrder(t *testing.T) {
	most := 4
	if testing.Short() || machine.Emulator() != "" {
		most = 3
		t.Log("a short run: up to 3 lines, as one thread does it all")
	}
	for lines := 1; lines <= most; lines++ {
		histories := 0
		for _, order := range litmus.Orders(lines) {
			for looks := range 1 << (lines - 1) {
				histories++
				history(t, lines, order, looks)
			}
		}
		t.Logf("%d lines: %d histories", lines, histories)
	}
}

// history is one history of TestEveryOrder. Bit i of looks is a look after piece i.
func history(t *testing.T, lines int, order []int, looks int) {
	w := simulation.NewWorld(t, 1)
	slot := lines * lineBytes
	p := newSimPair(w, newSimDevice(w), slot, 1, nasty.Config{Model: nasty.PCIe})
	n := slot - requestBytes(16, 0, 0)
	if lines == 1 {
		n = 32
	}
	old, now := bytes.Repeat([]byte("A"), n), bytes.Repeat([]byte("B"), n)
	p.submit(kvs.Set, "key", old)
	p.settle()
	p.submit(kvs.Set, "key", now)
	if got := p.device.Waiting(); got != lines {
		t.Fatalf("%d bytes: %d lines, want %d", n, got, lines)
	}
	for i, line := range order {
		before := 0
		for _, earlier := range order[:i] {
			if earlier < line {
				before++
			}
		}
		must.Do(t, p.device.Step(line-before))
		for range scanEvery * (looks >> i & 1) { // one of the passes scans
			p.work()
		}
	}
	p.settle()
	p.submit(kvs.Get, "key", nil)
	if a := p.settle(); !bytes.Equal(a.Value, now) {
		t.Fatalf("SET key=A*%d ok; SET key=B*%d, lines placed %v, looks after %b: ok; GET key = A*%d B*%d",
			n, n, order, looks, bytes.Count(a.Value, []byte("A")), bytes.Count(a.Value, []byte("B")))
	}
}
