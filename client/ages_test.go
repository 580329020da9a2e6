package client

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAgesAgainstAList compares ages with a list of all sending times. Nothing younger than the
// time-out is overdue, and nothing older than it and a part stays.
func TestAgesAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const timeout = 7000
		a, now := newAges(timeout, 0), int64(0)
		type sent struct {
			cookie cookie
			ns     int64
		}
		var list []sent
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += rapid.Int64Range(0, 500).Draw(t, "pause")
			_, timedOut := a.advance(now)
			overdue := 0
			for _, s := range list {
				if now-s.ns >= timeout {
					overdue++
				}
			}
			if timedOut > overdue {
				t.Fatalf("%d timed out, but only %d are overdue", timedOut, overdue)
			}
			if timedOut > 0 {
				return
			}
			if len(list) > 0 && now-list[0].ns > 2*timeout {
				t.Fatalf("an operation is out for %d and not called overdue", now-list[0].ns)
			}
			if rapid.Bool().Draw(t, "send") {
				a.sent()
				list = append(list, sent{a.tag(), now})
			} else if len(list) > 0 {
				i := rapid.IntRange(0, len(list)-1).Draw(t, "answer")
				if !a.answered(list[i].cookie) {
					t.Fatal("an answer was not expected")
				}
				list = append(list[:i], list[i+1:]...)
			}
			if a.total != len(list) {
				t.Fatalf("%d in flight, want %d", a.total, len(list))
			}
		}
	})
}

func TestUnaskedAnswers(t *testing.T) {
	a := newAges(time.Second, 0)
	if a.answered(a.tag()) {
		t.Error("an answer is expected with nothing in flight")
	}
	a.sent()
	if a.answered(uint64(ageClasses)<<classShift) || a.answered(1<<63) {
		t.Error("an answer of no class is expected")
	}
	if !a.answered(a.tag()) || a.answered(a.tag()) {
		t.Error("one answer is expected just once")
	}
}
