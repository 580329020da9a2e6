package softroce

import (
	"math"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
)

// timers holds the time of the first RC QP's timer to expire, so that a turn of Progress without RC
// costs one load. Times are those of [cpu.NowNs].
type timers struct{ next atomic.Int64 }

const never = math.MaxInt64

// arm makes sure that expire acts at time at.
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

// expire calls QPs whose time has come, and reports whether there were any. The receiver calls it.
func (t *timers) expire(d *device) bool {
	next := t.next.Load()
	if next == never {
		return false
	}
	now := cpu.NowNs()
	if now < next {
		return false
	}
	t.next.Store(never) // before the search, so that no later arm is lost
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
