package client

import (
	"time"

	"dpukv/kvs"
)

// ageClasses is the number of classes that sort the operations in flight by age.
const ageClasses = 8

// ages tells how many operations are in flight, and how old they are, without a record of each. An
// operation counts in the class that is current when it is sent; its cookie names the class. A
// class becomes current again only if it is empty by then. Otherwise its operations are at least a
// time-out old, and at most a seventh of it more.
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

// advance makes the next class current when its time has come. timedOut is above zero once
// operations have timed out. A call moves on by one class at most, and the next step counts from
// now. So a client that did not get to run looks for answers before it calls them late.
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

// tag returns the current class as a part of a cookie.
func (a *ages) tag() cookie { return uint64(a.current) << classShift }

// sent counts one operation that left with the current tag.
func (a *ages) sent() {
	a.counts[a.current]++
	a.total++
}

// answered takes one operation out. It returns false for an answer to nothing in flight.
func (a *ages) answered(c cookie) bool {
	class := cookieClass(c)
	if class >= ageClasses || a.counts[class] == 0 {
		return false
	}
	a.counts[class]--
	a.total--
	return true
}

// A cookie travels with each request and comes back with its answer, which holds no key. The cookie
// has all the data to check the answer, so that no table is needed:
//
//	bits 0–47 the key's index, 48–55 the operation, 56–60 the age class of the sending,
//	61 the operation fills a miss, 62 a SET of its key waits for it, 63 it belongs to the quota of Load.Requests
type cookie = uint64

const (
	keyBits    = 48
	opShift    = 48
	classShift = 56
	isFill     = cookie(1) << 61
	setFollows = cookie(1) << 62
	inQuota    = cookie(1) << 63
)

func newCookie(key uint64, op kvs.Op) cookie { return key | uint64(op)<<opShift }

func cookieKey(c cookie) uint64 { return c & (1<<keyBits - 1) }
func cookieOp(c cookie) kvs.Op  { return kvs.Op(c >> opShift) }
func cookieClass(c cookie) int  { return int(c >> classShift) }
