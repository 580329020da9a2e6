package perf

import "time"

// mark is a time in a bandwidth test and the number of messages complete by then.
type mark struct {
	at       time.Duration
	complete int
}

// maxMarks is how many marks a point keeps.
const maxMarks = 1 << 16

// marks are those of a point. Once there are maxMarks, every second one goes, and only every second
// of those that come stays. So a long run needs no more memory than a short one.
type marks struct {
	list  []mark
	last  mark
	every int // one in so many marks is in the list
	came  int // marks since the last one in the list
}

func newMarks() *marks {
	m := &marks{list: make([]mark, 0, 4096)}
	m.restart(0)
	return m
}

// restart begins a measurement after some messages.
func (m *marks) restart(complete int) {
	m.last = mark{0, complete}
	m.list, m.every, m.came = append(m.list[:0], m.last), 1, 0
}

func (m *marks) add(a mark) {
	m.last = a
	if m.came++; m.came < m.every {
		return
	}
	m.came = 0
	if m.list = append(m.list, a); len(m.list) < maxMarks {
		return
	}
	for i := 1; 2*i < len(m.list); i++ {
		m.list[i] = m.list[2*i]
	}
	// The last one of an even number went: it is the first of the next ones to come.
	m.list, m.came = m.list[:len(m.list)/2], m.every
	m.every *= 2
}

// all returns the kept marks, and the last one.
func (m *marks) all() []mark {
	if m.came == 0 {
		return m.list
	}
	return append(m.list, m.last)
}

// messages returns how many messages completed.
func (m *marks) messages() int { return m.last.complete - m.list[0].complete }

// rates computes the rates for messages of one size.
func rates(marks []mark, bytes int) *Rates {
	const mb = 1 << 20
	first, last := marks[0], marks[len(marks)-1]
	average := perSecond(first, last)
	peak := average
	for tenth, i := max(1, len(marks)/10), 0; i+tenth < len(marks); i++ {
		peak = max(peak, perSecond(marks[i], marks[i+tenth]))
	}
	return &Rates{
		PeakMBs: peak * float64(bytes) / mb, AverageMBs: average * float64(bytes) / mb,
		MsgMpps: average / 1e6,
	}
}

func perSecond(from, to mark) float64 {
	// The clock may stand still over a very short interval.
	d := max(to.at-from.at, time.Nanosecond)
	return float64(to.complete-from.complete) / d.Seconds()
}
