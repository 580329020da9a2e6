package idle

// spun is the CPU time of turns that found nothing. The sum never falls.
//
// A turn that only spins counts with the time by the clock, which is cheap to read, but with at
// most twice the usual time: the rest was another thread's. A turn that was not timed counts with
// the usual time.
//
// Another thread may run while this one yields or sleeps. So each of these waits counts with the
// mean CPU time of its kind, of which a few are measured.
type spun struct {
	ns     int64
	recent int64 // turns since the last look at the clock
	usual  int64 // time of a turn that only spins: about the least of late; 0: not known

	unknown int64 // turns while it was not known

	yields, sleeps wait
	measuring      bool
	fromNs         int64 // of the thread's CPU time
	readNs         int64 // that it takes to read that clock
}

// wait is a kind of wait.
type wait struct{ number, meanNs int64 }

const (
	atMost     = 2  // usual turns, before the rest is another thread's
	sampleRate = 61 // waits, per measured one
	meanOf     = 8  // measured waits, about
)

// timed counts the recent turns, which only spun and took ns.
func (s *spun) timed(ns int64) {
	if s.recent == 0 {
		return
	}
	each := max(ns/s.recent, 1)
	if s.usual == 0 {
		s.ns += s.unknown * each
	}
	if s.usual == 0 || each < s.usual {
		s.usual = each
	} else {
		s.usual += min(each-s.usual, s.usual/64+1) // turns may have become longer
	}
	s.ns += min(ns, atMost*s.recent*s.usual)
	s.recent = 0
}

// untimed counts the recent turns, whose time is not known.
func (s *spun) untimed() {
	s.ns += s.recent * s.usual
	if s.usual == 0 {
		s.unknown += s.recent
	}
	s.recent = 0
}

func (s *spun) of(sleeps bool) *wait {
	if sleeps {
		return &s.sleeps
	}
	return &s.yields
}

// begin begins a wait.
func (s *spun) begin(sleeps bool) {
	if s.measuring = s.of(sleeps).number%sampleRate == 0; s.measuring {
		before := threadNs()
		s.fromNs = threadNs()
		s.readNs = s.fromNs - before
	}
}

// end counts it.
func (s *spun) end(sleeps bool) {
	w := s.of(sleeps)
	if s.measuring {
		ns := max(threadNs()-s.fromNs-s.readNs, 0)
		if w.number == 0 {
			w.meanNs = ns
		}
		w.meanNs += (ns - w.meanNs) / meanOf
	}
	w.number++
	s.ns += w.meanNs
}
