package client

import (
	"math/bits"

	"dpukv/client/load"
	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// maxVerified bounds the keys that are asked for after a preload.
const maxVerified = 1 << 20

// keySweep does one operation once on each of a number of keys that are spread
// evenly over all; on each just once if they are as many. The threads share them.
type keySweep struct {
	op    kvs.Op
	count uint64 // keys, at most all
	keys  uint64 // all keys
}

// share is the range of positions [from, to) that a thread does.
func (s keySweep) share(thread, threads int) (from, to uint64) {
	t, of := uint64(thread), uint64(threads)
	return mulDiv(s.count, t, of), mulDiv(s.count, t+1, of)
}

func (s keySweep) key(position uint64) uint64 { return mulDiv(position, s.keys, s.count) }

// mulDiv is a*b/c without overflow, for a*b/c < 2⁶⁴.
func mulDiv(a, b, c uint64) uint64 {
	high, low := bits.Mul64(a, b)
	quotient, _ := bits.Div64(high, low, c)
	return quotient
}

// sweep does this worker's share as fast as the windows allow, and waits for all answers.
func (w *worker) sweep(s keySweep) (tally, error) {
	var t tally
	w.done.Store(0)
	next, end := s.share(w.id, w.cfg.Threads)
	for next < end || w.pending || w.ages.total > 0 {
		if err := w.alive(cpu.NowNs()); err != nil {
			return t, err
		}
		sent, blocked, err := w.sweepSend(s, next, end)
		if err != nil {
			return t, err
		}
		next += sent
		wait := maxWait
		if next < end && !blocked {
			wait = 0
		}
		if err := w.poll(wait); err != nil {
			return t, err
		}
		w.sweepJudge(&t)
		w.done.Store(t.answered)
	}
	return t, nil
}

// sweepSend submits positions from next on until the session is full or all are done.
func (w *worker) sweepSend(s keySweep, next, end uint64) (sent uint64, blocked bool, err error) {
	for ; sent < burst && next+sent < end; sent++ {
		if !w.pending {
			key := s.key(next + sent)
			w.prepare(s.op, key)
			if s.op == kvs.Set {
				load.FillValue(w.req.Value, key, 0)
			}
		}
		if taken, err := w.submit(); err != nil || !taken {
			return sent, true, err
		}
	}
	if next+sent == end {
		err = w.flush()
	}
	return sent, false, err
}

// sweepJudge checks answers; besides, no value may be of another version than the preload's.
func (w *worker) sweepJudge(t *tally) {
	for i := range w.answers {
		a := &w.answers[i]
		w.judge(a, t)
		if a.Op == kvs.Get && a.Status == kvs.OK && load.ValueVersion(a.Value) != 0 {
			w.wrong(a, t, "the value is older than the preload, which was confirmed")
		}
	}
}
