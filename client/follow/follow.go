package follow

import (
	"math"
	"time"
	"unsafe"

	"dpukv/kvs"
	"dpukv/load"
)

// Most is the most keys that are followed. Of a trace with more, every second is, or every fourth,
// and so on.
const Most = 1 << 22

// Known is what the thread with a key of a trace knows of it, by the answers so far. A key's
// operations are executed and answered in their order, so each answer tells what the next one may
// be. Its SETs and ADDs have numbers, which are in their values.
type Known struct {
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

// Keys are those keys of a trace that are followed: the multiples of a power of two. Each belongs
// to one thread, which alone uses it.
type Keys struct {
	all    []Known
	stride uint64
	baseNs int64
	first  uint16        // number of each key
	unit   time.Duration // of times to live
	// Strict tells that the server evicts nothing.
	Strict bool
}

// New follows the keys of a trace, from a time on. The numbers of SETs begin with that time, so
// that the values of an earlier replay have others.
func New(keys uint64, facts *kvs.Facts, nowNs int64) Keys {
	stride := uint64(1)
	for keys > stride*Most {
		stride *= 2
	}
	return Keys{
		all: make([]Known, (keys+stride-1)/stride), stride: stride, baseNs: nowNs,
		first: uint16(nowNs / int64(time.Millisecond)),
		unit:  facts.TTLUnit, Strict: facts.Mode == "store",
	}
}

// Count is the number of keys that are followed.
func (f *Keys) Count() uint64 { return uint64(len(f.all)) }

// Bytes is the memory for them.
func (f *Keys) Bytes() uint64 { return f.Count() * uint64(unsafe.Sizeof(Known{})) }

// Of returns what is known of a key; nil: the key is not one of those.
func (f *Keys) Of(key uint64) *Known {
	if key&(f.stride-1) != 0 || key/f.stride >= uint64(len(f.all)) {
		return nil
	}
	return &f.all[key/f.stride]
}

// Sends notes a SET or an ADD before it leaves. It returns its number.
func (f *Keys) Sends(key uint64, ttl time.Duration, now func() int64) uint16 {
	k := f.Of(key)
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
	return f.first + k.sent
}

// least is the time until which an item of a time to live that is sent now is surely there. A
// server's clock has a resolution and may lag, and it is not the client's.
func (f *Keys) least(nowNs int64, ttl time.Duration) uint32 {
	ns := nowNs - f.baseNs + int64(ttl-2*f.unit-ttl/16)
	return uint32(min(max(ns/int64(time.Millisecond), 0), forever-1))
}

// lasts reports whether what is there was surely there when the answer came.
func (f *Keys) lasts(k *Known, a *kvs.Answer) bool {
	return k.state == there && (k.untilMs == forever ||
		(a.ReceivedNs-f.baseNs)/int64(time.Millisecond) < int64(k.untilMs))
}

// Finding is what an answer tells beside what it says.
type Finding uint8

// The findings from Gone on are faults.
const (
	AsExpected Finding = iota
	Compared           // and the value was the one that the key must have
	Gone               // what is there was not found: evicted, or lost
	Stale              // another value than that of the last SET
	Undead             // a key was found that is not there
)

var texts = [...]string{
	Gone: "the key is not there, and an earlier SET or ADD had been confirmed, without a DELETE " +
		"or an expiry since: that one is lost, or somebody else removes these keys",
	Stale: "the value is not that of the last SET or ADD that the server had confirmed: that one " +
		"is lost, or another load writes these keys",
	Undead: "the key is there, and earlier answers say that it is not, without a SET or an ADD " +
		"since: a DELETE is lost, or another load writes these keys",
}

func (f Finding) String() string { return texts[f] }

// Answer learns from an answer. failed: it is wrong in itself, or reports a failed operation.
func (f *Keys) Answer(k *Known, a *kvs.Answer, op kvs.Op, failed bool) Finding {
	writes := op == kvs.Set || op == kvs.Add
	if writes {
		k.answered++
	}
	was, lasted := k.state, f.lasts(k, a)
	switch {
	case failed:
		k.state = unknown
		return AsExpected
	case writes && a.Status == kvs.OK:
		k.state, k.stored, k.untilMs = there, f.first+k.answered, k.pendingMs
		if op == kvs.Add && lasted {
			return Gone
		}
	case op == kvs.Get && a.Status == kvs.OK:
		return f.hit(k, a)
	case a.Status == kvs.Exists:
		if was == absent {
			k.state = unknown
			return Undead
		}
	default: // a DELETE, or not found
		k.state = absent
		switch {
		case a.Status == kvs.NotFound && lasted:
			return Gone
		case a.Status == kvs.OK && was == absent:
			return Undead
		}
	}
	return AsExpected
}

// hit learns from a value. Where it is not the one that must be there, it counts as there from now
// on: each fault is found once.
func (f *Keys) hit(k *Known, a *kvs.Answer) Finding {
	was, stored := k.state, k.stored
	versioned := len(a.Value) >= load.VersionedBytes
	if versioned {
		k.stored = load.SizedNumber(a.Value)
	}
	if was == there && (!versioned || stored == k.stored) {
		if versioned {
			return Compared
		}
		return AsExpected
	}
	k.state, k.untilMs = there, 0
	switch was {
	case there:
		return Stale
	case absent:
		return Undead
	}
	return AsExpected
}
