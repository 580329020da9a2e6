package measure

import (
	"fmt"
	"slices"
	"time"

	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
)

// Config selects what to measure and for how long.
type Config struct {
	Contenders []Contender
	Cases      []result.Case
	// Rounds is the number of passes. Each makes one round of every contender in every case.
	Rounds int
	// Duration is the approximate length of the measurement. The length of rounds follows from it.
	Duration time.Duration
	CPU      int // to pin to
	Seed     uint64
	// OnProgress is called after each pass. It may be nil.
	OnProgress func(done, passes int)
}

// The limits of a Config. Fewer rounds than MinRounds give no confidence interval of 95 %.
const (
	DefaultRounds = 25
	MinRounds     = 6
	minRound      = 50 * time.Microsecond // far above the clock's own cost
	maxRound      = 20 * time.Millisecond
)

// Validate reports the parts of c that can't be measured on this machine.
func (c *Config) Validate() error {
	switch {
	case len(c.Contenders) == 0:
		return fmt.Errorf("functions: found none, allowed: one or more")
	case len(c.Cases) == 0:
		return fmt.Errorf("cases: found none, allowed: one or more")
	case c.Rounds < MinRounds:
		return fmt.Errorf("rounds: found %d, allowed: %d or more", c.Rounds, MinRounds)
	}
	for _, k := range c.Cases {
		if err := k.Validate(); err != nil {
			return err
		}
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		return err
	}
	if !slices.Contains(allowed, c.CPU) {
		return fmt.Errorf("cpu: found %d, allowed for this process: "+
			"%s", c.CPU, cpu.FormatList(allowed))
	}
	_, err = c.roundNs()
	return err
}

// series is the number of rounds a pass: one of every contender in every case, and the loops alone.
func (c *Config) series() int {
	loops := map[loopKey]bool{}
	for i := range c.Contenders {
		for _, k := range c.Cases {
			if c.Contenders[i].Loop != nil {
				loops[keyOf(&c.Contenders[i], k)] = true
			}
		}
	}
	n := len(c.Contenders) * len(c.Cases)
	for k := range loops {
		n++
		if k.mode == result.Latency {
			n += len(chainLengths) - 1
		}
	}
	return n
}

// roundNs is the length of a round. It is an error if the duration is too short.
func (c *Config) roundNs() (time.Duration, error) {
	series := c.series()
	round := c.Duration / time.Duration(max(series*c.Rounds, 1))
	if round < minRound {
		least := (minRound * time.Duration(series*c.Rounds)).Round(time.Millisecond)
		return 0, fmt.Errorf("duration: found %v; %d rounds of %d functions and cases need at "+
			"least %v: ask for fewer, or for longer", c.Duration, c.Rounds, series, least)
	}
	return min(round, maxRound), nil
}
