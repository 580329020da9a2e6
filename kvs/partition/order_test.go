package partition

import (
	"testing"

	"dpukv/internal/test/litmus"
)

// TestOrderOfSeqlock is the argument of store_atomic.go on Armv8: no reader that finds the same even version twice believes a word of
// another version. The owner changes an item of two words twice, versions 0, 2, 4; a reader looks once.
func TestOrderOfSeqlock(t *testing.T) {
	// The round that a version is the end of.
	owner := func(odd, word, even func(string, int) litmus.Instruction) litmus.Thread {
		var all litmus.Thread
		for round := 1; round <= 2; round++ {
			all = append(all, odd("version", 2*round-1), word("w1", round), word("w2", round), even("version", 2*round))
		}
		return all
	}
	reader := func(first, word, second func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{first("before", "version"), word("r1", "w1"), word("r2", "w2"), second("after", "version")}
	}
	torn := func(o litmus.Outcome) bool {
		round := o["before"] / 2
		return o["before"] == o["after"] && o["before"]%2 == 0 && (o["r1"] != round || o["r2"] != round)
	}
	rel, acq := litmus.StoreRelease, litmus.LoadAcquire
	litmus.Check(t, map[string]litmus.Case{
		"as it is":               litmus.Forbids(torn, owner(rel, rel, rel), reader(acq, acq, acq)),
		"words stored plainly":   litmus.Allows(torn, owner(rel, litmus.Store, rel), reader(acq, acq, acq)),
		"even version plain":     litmus.Allows(torn, owner(rel, rel, litmus.Store), reader(acq, acq, acq)),
		"words loaded plainly":   litmus.Allows(torn, owner(rel, rel, rel), reader(acq, litmus.Load, acq)),
		"first version plain":    litmus.Allows(torn, owner(rel, rel, rel), reader(litmus.Load, acq, acq)),
		"as on amd64, all plain": litmus.Allows(torn, owner(litmus.Store, litmus.Store, litmus.Store), reader(litmus.Load, litmus.Load, litmus.Load)),
		// These two rest on the words' order alone, and are ordered because sync/atomic has nothing weaker.
		"odd version plain":    litmus.Forbids(torn, owner(litmus.Store, rel, rel), reader(acq, acq, acq)),
		"second version plain": litmus.Forbids(torn, owner(rel, rel, rel), reader(acq, acq, litmus.Load)),
	})
}

// TestOrderOfReusedRoom: the item of key A gives its room to one of key B. B's bucket has a version of its own, so A's must have kept A's readers
// from what B's owner writes there: the slot was taken away under it, before.
func TestOrderOfReusedRoom(t *testing.T) {
	owner := func(odd, slot, even, item func(string, int) litmus.Instruction) litmus.Thread {
		// remove of A, whose slot of 0 leads to the item and of 1 nowhere; then writeItem of B, which is under no version at all.
		return litmus.Thread{odd("version", 1), slot("slot", 1), even("version", 2), item("item", 1)}
	}
	reader := func(first, slot, item, second func(string, string) litmus.Instruction) litmus.Thread {
		return litmus.Thread{first("before", "version"), slot("where", "slot"), item("what", "item").At("where"), second("after", "version")}
	}
	wrong := func(o litmus.Outcome) bool {
		return o["before"] == o["after"] && o["before"]%2 == 0 && o["where"] == 0 && (o["before"] == 2 || o["what"] == 1)
	}
	rel, acq := litmus.StoreRelease, litmus.LoadAcquire
	litmus.Check(t, map[string]litmus.Case{
		"as it is":            litmus.Forbids(wrong, owner(rel, rel, rel, rel), reader(acq, acq, acq, acq)),
		"item stored plainly": litmus.Allows(wrong, owner(rel, rel, rel, litmus.Store), reader(acq, acq, acq, acq)),
		"item loaded plainly": litmus.Allows(wrong, owner(rel, rel, rel, rel), reader(acq, acq, litmus.Load, acq)),
		"even version plain":  litmus.Allows(wrong, owner(rel, rel, litmus.Store, rel), reader(acq, acq, acq, acq)),
		"first version plain": litmus.Allows(wrong, owner(rel, rel, rel, rel), reader(litmus.Load, acq, acq, acq)),
		// The item's address comes from the slot.
		"slot loaded plainly": litmus.Forbids(wrong, owner(rel, rel, rel, rel), reader(acq, litmus.Load, acq, acq)),
	})
}
