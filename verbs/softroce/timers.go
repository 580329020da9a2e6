package softroce

import (
	"math"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
)

// timers knows when the first of the RC QPs' timers runs out, so that a turn of Progress without RC
// costs one load. Times are those of [cpu.NowNs].
type timers struct{ next atomic.Int64 }

const never = math.MaxInt64

// arm makes sure that somebody looks at time at.
func (t *timers) arm(at int64) {
	for {
		next := t.next.Load()
		if next <= at || t.next.CompareAndSwap(next, at) {
			return
		}
	}
}

func (t *timers) untilNext() time.Duration {
	next := t.next.Load()
	if next == never {
		return never
	}
	return time.Duration(next - cpu.NowNs())
}

// expire lets QPs whose time is over act, and tells whether there were any. Called by the receiver.
func (t *timers) expire(d *device) bool {
	next := t.next.Load()
	if next == never {
		return false
	}
	now := cpu.NowNs()
	if now < next {
		return false
	}
	t.next.Store(never) // before looking: who arms from here on is not forgotten
	acted := false
	for i := range d.qps.entries {
		q := d.qps.entries[i].object
		if q == nil || q.request == nil {
			continue
		}
		did, at := q.request.expire(now)
		acted = acted || did
		t.arm(at)
	}
	return acted
}
