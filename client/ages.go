package client

import "time"

// ageClasses is the number of classes that the operations in flight are sorted into.
const ageClasses = 8

// ages knows how many operations are in flight, and since when, without a record of each: an
// operation is counted in the class that is current when it is sent, and its cookie says
// which. A class becomes current again only if it is empty by then; else its operations are
// at least a time-out old, and at most a seventh more.
type ages struct {
	counts  [ageClasses]int
	current int
	total   int // in flight
	stepNs  int64
	nextNs  int64 // when the next class becomes current
}

func newAges(timeout time.Duration, nowNs int64) ages {
	step := int64(timeout) / (ageClasses - 1)
	return ages{stepNs: step, nextNs: nowNs + step}
}

// advance makes the next class current if it is time. The number of operations
// that have timed out is above zero once there are any. It moves on
// by one class at most, and counts the next step from now: a client
// that was kept from running has to look for answers before it may call them late.
func (a *ages) advance(nowNs int64) (moved bool, timedOut int) {
	if nowNs < a.nextNs {
		return false, 0
	}
	next := (a.current + 1) % ageClasses
	if a.counts[next] > 0 {
		return false, a.counts[next]
	}
	a.current, a.nextNs = next, nowNs+a.stepNs
	return true, 0
}

// tag is the current class, as a part of a cookie.
func (a *ages) tag() cookie { return uint64(a.current) << classShift }

// sent counts one operation that left with the current tag.
func (a *ages) sent() {
	a.counts[a.current]++
	a.total++
}

// answered takes one operation out. It is false for an answer that nothing in flight asked for.
func (a *ages) answered(c cookie) bool {
	class := cookieClass(c)
	if class >= ageClasses || a.counts[class] == 0 {
		return false
	}
	a.counts[class]--
	a.total--
	return true
}
