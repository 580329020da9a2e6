package order

import (
	"testing"

	"dpukv/internal/test/litmus"
)

// TestOrderOfWrite checks a WRITE of the verbs on Armv8, which stores its last word with release
// order. A poller that finds the last word finds the others, and the WRITE before it.
func TestOrderOfWrite(t *testing.T) {
	sender := func(last func(string, int) litmus.Instruction) litmus.Thread {
		return litmus.Thread{litmus.Store("a1", 1), last("a2", 1), litmus.Store("b1", 1), last("b2", 1)}
	}
	poller := func(last func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{
			last("seen", "b2"), litmus.Load("rest", "b1"), litmus.Load("before", "a1"), litmus.Load("before2", "a2"),
		}
	}
	old := func(o litmus.Outcome) bool {
		return o["seen"] == 1 && (o["rest"] == 0 || o["before"] == 0 || o["before2"] == 0)
	}
	litmus.Check(t, map[string]litmus.Case{
		"as it is":            litmus.Forbids(old, sender(litmus.StoreRelease), poller(litmus.LoadAcquire)),
		"last stored plainly": litmus.Allows(old, sender(litmus.Store), poller(litmus.LoadAcquire)),
		"last loaded plainly": litmus.Allows(old, sender(litmus.StoreRelease), poller(litmus.Load)),
	})
}

// TestOrderOfRing checks the order of a ring on Armv8. One index publishes the written entries, and
// another returns the read ones. The completions, the posted buffers and the lanes of verbs/shm are
// such rings. The ring here has one entry. In a lane the index is the lap in a message's first
// word.
func TestOrderOfRing(t *testing.T) {
	type store = func(string, int) litmus.Instruction
	type load = func(string, string) litmus.Instruction
	writer := func(publish store, look load) litmus.Thread {
		return litmus.Thread{
			litmus.Store("entry", 1), publish("tail", 1), look("room", "head"),
			litmus.Store("entry", 2), publish("tail", 2),
		}
	}
	reader := func(look load, giveBack store) litmus.Thread {
		return litmus.Thread{look("there", "tail"), litmus.Load("taken", "entry"), giveBack("head", 1)}
	}
	// Without room the writer would not have continued. There is room only if the reader found an
	// entry.
	ran := func(o litmus.Outcome) bool { return o["room"] == 1 && o["there"] > 0 }
	wrong := func(o litmus.Outcome) bool { return ran(o) && o["taken"] != 1 }
	stale := func(o litmus.Outcome) bool { return o["there"] == 1 && o["taken"] == 0 }
	rel, acq := litmus.StoreRelease, litmus.LoadAcquire
	litmus.Check(t, map[string]litmus.Case{
		"as it is":            litmus.Forbids(wrong, writer(rel, acq), reader(acq, rel)),
		"as it is, first":     litmus.Forbids(stale, writer(rel, acq), reader(acq, rel)),
		"tail stored plainly": litmus.Allows(stale, writer(litmus.Store, acq), reader(acq, rel)),
		"tail loaded plainly": litmus.Allows(stale, writer(rel, acq), reader(litmus.Load, rel)),
		"head stored plainly": litmus.Allows(wrong, writer(rel, acq), reader(acq, litmus.Store)),
		"head loaded plainly": litmus.Allows(wrong, writer(rel, litmus.Load), reader(acq, rel)),
		"all plain, as on x86": litmus.Allows(wrong,
			writer(litmus.Store, litmus.Load), reader(litmus.Load, litmus.Store)),
	})
}
