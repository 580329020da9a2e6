package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Hashes is the evidence of one machine for claims about hash functions alone.
type Hashes struct {
	Name       string   // of the file
	Machine    string   // "host", or a generation: "bf2"
	CPU        string   // in words
	Substitute string   // what it is instead of that machine; empty: it is one
	Warnings   []string // reasons to doubt it
	Times      []HashTime
}

// HashTime is the time of one call of a function.
type HashTime struct {
	Function      string
	Bytes         int
	Dependent     bool // each call waits for the one before: latency, not throughput
	Ns, Low, High float64
	Rounds        int // medians of so many
}

// Host is the machine of the study that is no DPU.
const Host = "host"

// The inputs of the study.
const (
	shortBytes = 16
	longBytes  = 256 << 10
)

// timed is a function's figure on one machine.
type timed struct {
	function         string
	value, low, high float64 // ns, or bytes a ns
	rounds           int
	on               *Hashes
}

// ofHashes reports whether the claim is about hash functions alone.
func (c *Claim) ofHashes() bool { return len(c.A.Functions) > 0 }

// hashFindings are the figures of all pairs of times for one generation, or the reason why there
// are none.
func (c *Claim) hashFindings(all []Hashes, generation string) (list []finding, why string) {
	as := c.times(all, &c.A, generation)
	overs := c.times(all, c.Over, generation)
	for _, side := range []struct {
		found []timed
		s     *Selector
	}{{as, &c.A}, {overs, c.Over}} {
		if len(side.found) == 0 {
			return nil, fmt.Sprintf("no report of dpukv hash with %s on %s", side.s.someFunctions(),
				titles(side.s.of(generation)))
		}
	}
	if strings.HasPrefix(c.Of, "best ") {
		as, overs = c.best(as), c.best(overs)
	}
	for i := range as {
		for j := range overs {
			if as[i].function == overs[j].function || strings.HasPrefix(c.Of, "best ") {
				list = append(list, c.hashPair(&as[i], &overs[j]))
			}
		}
	}
	return list, "the reports have no function in common"
}

// someFunctions names a few functions, or counts them.
func (s *Selector) someFunctions() string {
	if n := len(s.Functions); n > 4 {
		return fmt.Sprintf("any of the claim's %d functions", n)
	}
	return strings.Join(s.Functions, " or ")
}

func (c *Claim) hashPair(a, b *timed) finding {
	f := finding{
		value: a.value / b.value, low: a.low / b.high, high: a.high / b.low,
		which:  a.where() + " over " + b.where(),
		hashes: []*Hashes{a.on, b.on}, repeats: min(a.rounds, b.rounds),
	}
	if a.on == b.on {
		f.hashes = f.hashes[:1]
	}
	f.turn(c.Quantity)
	return f
}

func (t *timed) where() string { return t.function + " on " + title(t.on.Machine) }

// times are the figures of a selection.
func (c *Claim) times(all []Hashes, s *Selector, generation string) (list []timed) {
	latency := strings.HasSuffix(c.Of, "hash latency")
	for i := range all {
		h := &all[i]
		if !slices.Contains(s.of(generation), h.Machine) {
			continue
		}
		for _, t := range h.Times {
			if t.Dependent != latency || latency && t.Bytes != shortBytes ||
				!latency && t.Bytes != longBytes || !slices.Contains(s.Functions, t.Function) {
				continue
			}
			one := timed{t.Function, t.Ns, t.Low, t.High, t.Rounds, h}
			if !latency {
				bytes := float64(t.Bytes)
				one.value, one.low, one.high = bytes/t.Ns, bytes/t.High, bytes/t.Low
			}
			list = append(list, one)
		}
	}
	return list
}

// best is the best function of each machine: of the greatest bandwidth, or the least latency.
func (c *Claim) best(list []timed) []timed {
	pick := slices.MaxFunc[[]timed]
	if strings.HasSuffix(c.Of, "latency") {
		pick = slices.MinFunc[[]timed]
	}
	return []timed{pick(list, func(a, b timed) int { return cmp.Compare(a.value, b.value) })}
}

// lackingHashes names the functions of a selection without a time.
func (c *Claim) lackingHashes(all []Hashes, s *Selector, generation string) (list []string) {
	for _, name := range s.Functions {
		one := *s
		if one.Functions = []string{name}; len(c.times(all, &one, generation)) == 0 {
			list = append(list, name+" on "+titles(s.of(generation)))
		}
	}
	return list
}
