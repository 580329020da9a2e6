package client

import (
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// prepared is an operation with a precomputed hash of its key.
type prepared struct {
	key  uint64
	hash uint64
	get  bool
}

// checker finds the share of hashing by leaving it out. In alternate slices of time, a thread
// either hashes its keys as under load, or takes the hashes from a precomputed list. Both kinds of
// slices read the keys from that list, so that only the hashing differs. The loop is closed,
// whatever the load's loop was.
type checker struct {
	*loader
	list   []prepared
	at     int
	hashed bool // now: hashes come from the list

	cpuNs, ops [2]int64 // of slices with hashing, and of those without
}

const (
	checkList   = 4096 // operations, which stay in the second-level cache
	checkSlices = 40
	checkSlice  = 20 * time.Millisecond
)

func newChecker(t *thread) *checker {
	// The load may have left a request that had no room. Its key is overwritten below, its cookie
	// and value are not. So the request is dropped.
	t.pending = false
	c := &checker{}
	c.loader = newAside(t, c.next)
	for range checkList {
		key, get := c.gen.Next()
		c.list = append(c.list, prepared{key, t.cfg.hash.Sum64(t.keys.Fill(key)), get})
	}
	return c
}

// next makes the next request from the list.
func (c *checker) next() {
	p := &c.list[c.at%checkList]
	c.at++
	op := kvs.Set
	if p.get {
		op = kvs.Get
	}
	if c.hashed {
		c.describe(op, p.key)
		c.req.Hash = p.hash
	} else {
		c.prepare(op, p.key)
	}
	if !p.get {
		c.value(p.key, c.nextVersion(p.key))
	}
}

// run measures the slices and then waits for the outstanding answers.
func (c *checker) run() error {
	for slice := range checkSlices {
		c.hashed = slice%2 == 1
		if err := c.slice(slice%2, slice >= 2); err != nil { // the first two warm up
			return err
		}
	}
	return c.drain()
}

func (c *checker) slice(kind int, counts bool) error {
	spent := func() int64 { return cpu.ThreadNs() - c.session.Traffic().SpunNs }
	startNs, startOps := spent(), c.submitted
	now := cpu.NowNs()
	for end := now + int64(checkSlice); now < end; now = cpu.NowNs() {
		if err := c.alive(now); err != nil {
			return err
		}
		if err := c.closedStep(now); err != nil {
			return err
		}
	}
	if counts {
		c.cpuNs[kind] += spent() - startNs
		c.ops[kind] += int64(c.submitted - startOps)
	}
	return nil
}

// checkHashing runs the checkers of all threads at once.
func (r *loadRun) checkHashing() error {
	checkers := make([]*checker, len(r.pool.threads))
	err := r.pool.each(func(t *thread) error {
		checkers[t.id] = newChecker(t)
		return checkers[t.id].run()
	}, r.cfg.Interval, nil)
	if err != nil {
		return err
	}
	var cpuNs, ops [2]float64
	for _, c := range checkers {
		for kind := range cpuNs {
			cpuNs[kind] += float64(c.cpuNs[kind])
			ops[kind] += float64(c.ops[kind])
		}
		r.checked.add(c.outside)
	}
	if r.checked.errors > 0 {
		return r.wrongAnswers(r.checked)
	}
	if ops[0] > 0 && ops[1] > 0 {
		with, without := cpuNs[0]/ops[0], cpuNs[1]/ops[1]
		r.hashChecked = min(max(1-without/with, 0), 1)
	}
	return nil
}
