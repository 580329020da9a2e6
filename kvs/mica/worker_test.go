package mica

import (
	"slices"
	"testing"
	"time"
)

// scripted is a system with scripted times, in milliseconds.
type scripted struct {
	system
	times []int64
	rings int
}

func (s *scripted) now() int64 {
	now := s.times[0]
	s.times = s.times[1:]
	return now * int64(time.Millisecond)
}

func (s *scripted) ring() { s.rings++ }

// TestShortTurnsHaveTheirTime checks the time between long turns. After a long turn, the next in
// line waits as long as that turn took if others have short turns, and not at all if nobody has.
func TestShortTurnsHaveTheirTime(t *testing.T) {
	for name, test := range map[string]struct {
		shorts int
		times  []int64 // of the loops that follow a turn from 0 to 5
		inLine []int   // after each of them
	}{
		"others have turns": {1, []int64{6, 9, 10, 12}, []int{1, 1, 0}},
		"nobody has":        {0, []int64{6, 7}, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{times: append([]int64{0, 5}, test.times...)}
			w := &worker{system: s, mail: mailbox{system: s}}
			for range 2 {
				w.park(&peer{w: w, greeted: true})
			}
			w.resume()
			w.shorts = test.shorts
			var inLine []int
			for w.parked.len() > 0 {
				rings := s.rings
				w.resume()
				if w.parked.len() > 0 && s.rings == rings {
					t.Fatal("somebody waits, and nothing rings the bell")
				}
				inLine = append(inLine, w.parked.len())
			}
			if !slices.Equal(inLine, test.inLine) || len(s.times) > 0 {
				t.Errorf("%v wait in line after each loop, want %v", inLine, test.inLine)
			}
		})
	}
}
