package client

import (
	"math"
	"time"
	"unsafe"

	"dpukv/kvs"
	"dpukv/load"
)

// maxFollowed is the most keys of a trace whose state is known. Of a trace with more, every second
// is, or every fourth, and so on.
const maxFollowed = 1 << 22

// followed is what the thread with a key of a trace knows of it, by the answers so far. A key's
// operations are executed and answered in their order, so each answer tells what the next one may
// be. Its SETs and ADDs have numbers, which are in their values.
type followed struct {
	untilMs   uint32 // until then, what is there cannot have expired
	pendingMs uint32 // the same, of the SETs and ADDs in flight together
	sent      uint16 // the number of the last SET or ADD that was sent
	answered  uint16 // and of the last one that was answered
	stored    uint16 // of the one whose value is there
	state     state
}

type state uint8

const (
	unknown state = iota // at first: an earlier load may have stored it
	absent
	there
)

// forever is the time in ms of an item that does not expire.
const forever = math.MaxUint32

// following has the keys of a trace whose state is known: those whose number is a multiple of a
// power of two. Each belongs to one thread, which alone uses it.
type following struct {
	keys   []followed
	stride uint64
	baseNs int64
	unit   time.Duration // of times to live
	strict bool          // the server may lose nothing: no miss is explained by evictions
}

func newFollowing(keys uint64, facts *kvs.Facts, nowNs int64) following {
	stride := uint64(1)
	for keys > stride*maxFollowed {
		stride *= 2
	}
	return following{
		keys: make([]followed, (keys+stride-1)/stride), stride: stride, baseNs: nowNs,
		unit: facts.TTLUnit, strict: facts.Mode == "store",
	}
}

// bytesFollowed is the memory of the keys.
func (f *following) bytesFollowed() uint64 {
	return uint64(len(f.keys)) * uint64(unsafe.Sizeof(followed{}))
}

// of returns what is known of a key; nil: the key is not one of those.
func (f *following) of(key uint64) *followed {
	if key&(f.stride-1) != 0 || key/f.stride >= uint64(len(f.keys)) {
		return nil
	}
	return &f.keys[key/f.stride]
}

// sends notes a SET or an ADD before it leaves. It returns its number.
func (f *following) sends(key uint64, ttl time.Duration, now func() int64) uint16 {
	k := f.of(key)
	if k == nil {
		return 0
	}
	until := uint32(forever)
	if ttl > 0 {
		until = f.least(now(), ttl)
	}
	if k.sent == k.answered {
		k.pendingMs = forever
	}
	k.pendingMs = min(k.pendingMs, until)
	k.sent++
	return k.sent
}

// least is the time until which an item of a time to live that is sent now is surely there. A
// server's clock has a resolution and may lag, and it is not the client's.
func (f *following) least(nowNs int64, ttl time.Duration) uint32 {
	ns := nowNs - f.baseNs + int64(ttl-2*f.unit-ttl/16)
	return uint32(min(max(ns/int64(time.Millisecond), 0), forever-1))
}

// lasts reports whether what is there was surely there when the answer came.
func (f *following) lasts(k *followed, a *kvs.Answer) bool {
	return k.state == there && (k.untilMs == forever ||
		(a.ReceivedNs-f.baseNs)/int64(time.Millisecond) < int64(k.untilMs))
}

// finding is what an answer tells beside what it says.
type finding uint8

const (
	asExpected finding = iota
	compared           // and the value was the one that the key must have
	gone               // what is there was not found: evicted, or lost
	stale              // another value than that of the last SET
	undead             // a key was found that is not there
)

var findings = [...]string{
	gone: "the key is not there, and an earlier SET or ADD had been confirmed, without a DELETE " +
		"or an expiry since: that one is lost, or somebody else removes these keys",
	stale: "the value is not that of the last SET or ADD that the server had confirmed: that one " +
		"is lost, or another load writes these keys",
	undead: "the key is there, and earlier answers say that it is not, without a SET or an ADD " +
		"since: a DELETE is lost, or another load writes these keys",
}

// answer learns from an answer, which is right in itself if its kind is not noKind.
func (f *following) answer(k *followed, a *kvs.Answer, op kvs.Op, kind opKind) finding {
	writes := op == kvs.Set || op == kvs.Add
	if writes {
		k.answered++
	}
	was, lasted := k.state, f.lasts(k, a)
	switch {
	case kind == noKind:
		k.state = unknown
		return asExpected
	case writes && a.Status == kvs.OK:
		k.state, k.stored, k.untilMs = there, k.answered, k.pendingMs
		if op == kvs.Add && lasted {
			return gone
		}
	case op == kvs.Get && a.Status == kvs.OK:
		return f.hit(k, a)
	case a.Status == kvs.Exists:
		if was == absent {
			k.state = unknown
			return undead
		}
	default: // a DELETE, or not found
		k.state = absent
		switch {
		case a.Status == kvs.NotFound && lasted:
			return gone
		case a.Status == kvs.OK && was == absent:
			return undead
		}
	}
	return asExpected
}

// hit learns from a value. Where it is not the one that must be there, it counts as there from now
// on: each fault is found once.
func (f *following) hit(k *followed, a *kvs.Answer) finding {
	was, stored := k.state, k.stored
	versioned := len(a.Value) >= load.VersionedBytes
	if versioned {
		k.stored = load.SizedNumber(a.Value)
	}
	if was == there && (!versioned || stored == k.stored) {
		if versioned {
			return compared
		}
		return asExpected
	}
	k.state, k.untilMs = there, 0
	switch was {
	case there:
		return stale
	case absent:
		return undead
	}
	return asExpected
}

// follow compares an answer with what is known of its key. Where a transport sent requests again,
// answers may come in another order, and the thread compares no more.
func (l *loader) follow(a *kvs.Answer, kind opKind, sum *tally) {
	f := &l.cfg.replay.following
	key, op := cookieKey(a.Cookie), cookieOp(a.Cookie)
	k := f.of(key)
	if k == nil || l.unordered {
		return
	}
	found := f.answer(k, a, op, kind)
	switch {
	case found == compared:
		sum.compared++
		return
	case found == asExpected:
		return
	case l.traffic().Retries > 0:
		l.unordered = true
	case found == gone && !f.strict:
		sum.gone++
		l.example(a, &l.gone, findings[found])
	default:
		l.wrong(a, sum, findings[found])
	}
}
