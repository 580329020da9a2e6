package herd

import (
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
)

// clockRate is the number of turns per look at the clock.
const clockRate = 16

// sessionSpin is how long a session spins before it yields at each turn. It is short, because
// client threads on one CPU keep each other from receiving answers.
const sessionSpin = 4 * time.Microsecond

// pollWait is one wait of a session for answers.
type pollWait struct {
	turns          uint
	begunNs, nowNs int64 // 0 until the first look at the clock
	seenNs, spun   int64 // end of the accounted time, and the part of it that went into turns
}

// due reports whether it is time to look at the clock, and looks. A few turns lie between two
// looks.
func (p *pollWait) due() bool {
	if p.turns++; p.turns%clockRate != 0 && p.nowNs-p.begunNs < int64(sessionSpin) {
		return false
	}
	if p.nowNs = cpu.NowNs(); p.begunNs == 0 {
		p.begunNs, p.seenNs = p.nowNs, p.nowNs
	}
	p.account(p.nowNs)
	return true
}

// account adds the time since the last look, unless the thread was preempted.
func (p *pollWait) account(now int64) {
	if turn := now - p.seenNs; turn < int64(cpu.Preempted) {
		p.spun += turn
	}
	p.seenNs = now
}

func (p *pollWait) waited() time.Duration { return time.Duration(p.nowNs - p.begunNs) }

// rest yields the CPU after enough spinning.
func (p *pollWait) rest(device verbs.Device, left time.Duration) error {
	if p.waited() < sessionSpin {
		return nil
	}
	err := device.Wait(min(left, time.Millisecond))
	p.seenNs = cpu.NowNs()
	return err
}

// spunNs returns the part of the wait that went into turns.
func (p *pollWait) spunNs() int64 {
	if p.begunNs == 0 {
		return 0
	}
	p.account(cpu.NowNs())
	return p.spun
}
