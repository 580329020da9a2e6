package sweep

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"dpukv/internal/field"
	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Limits of the key repeats_until, in per cent.
const (
	minUntil = 0.1
	maxUntil = 50
)

// until is the width of the medians' intervals that ends the repeats, in per cent, or "none".
var until = field.Or(none, field.Codec[float64]{
	Parse: func(text string) (float64, error) {
		percent, ok := parseShare(text)
		if !ok || percent < minUntil || percent > maxUntil {
			return 0, field.ErrNotAllowed
		}
		return percent, nil
	},
	Format: func(percent float64) string { return numfmt.Plain(percent) + "%" },
}).As("a share of the median from 0.1% to 50%, such as 5%; or none")

// RepeatUntil has the sweep repeat until the medians are known to a share of them.
func (s *Sweep) RepeatUntil(share string) (err error) {
	if s.RepeatsUntil, err = until.Parse(share); err != nil || s.RepeatsUntil == 0 {
		return fmt.Errorf("--repeats-until: found %s, allowed: a share of the median from 0.1%% "+
			"to 50%%, such as 5%%", share)
	}
	return nil
}

// mostRounds is the bound on the repeats of a configuration, as a multiple of the key repeats. It
// halves an interval, which is all that more repeats can be expected to do.
const mostRounds = 4

// MostRepeats is the highest number of repeats of a configuration.
func (s *Sweep) MostRepeats() int {
	if s.RepeatsUntil == 0 {
		return s.Repeats
	}
	return mostRounds * s.Repeats
}

// CheckRepeats refuses a rule for the repeats that can never be met, and one beside a search, which
// has a rule of its own.
func CheckRepeats(s *Sweep) error {
	if s.RepeatsUntil == 0 {
		return nil
	}
	if s.SLO != "" {
		return fmt.Errorf("repeats_until: found %s with slo, allowed: none, as a search repeats "+
			"by a rule of its own", until.Format(s.RepeatsUntil))
	}
	if s.MostRepeats() >= results.DefaultRepeats {
		return nil
	}
	return fmt.Errorf("repeats: found %d with repeats_until, allowed: at least %d: the interval "+
		"of a median takes %d repeats, and a sweep makes at most %d times repeats",
		s.Repeats, (results.DefaultRepeats+mostRounds-1)/mostRounds, results.DefaultRepeats,
		mostRounds)
}

// errRepeatUntil refuses a selection of repeats whose number follows from them all.
var errRepeatUntil = errors.New("--only: found repeat with repeats_until, allowed: the other keys")

// shuffled lists the points of configurations in the order of measurement.
func (s *Sweep) shuffled(configs []Config) []Point {
	points := make([]Point, 0, len(configs)*s.Repeats)
	for repeat := 1; repeat <= s.Repeats; repeat++ {
		points = append(points, s.Round(configs, repeat)...)
	}
	return points
}

// Round lists the points of one repeat of configurations, in the order of measurement.
func (s *Sweep) Round(configs []Config, repeat int) []Point {
	points := make([]Point, 0, len(configs))
	rng := rand.New(rand.NewPCG(s.Seed, uint64(repeat)))
	for _, i := range rng.Perm(len(configs)) {
		points = append(points, s.Point(&configs[i], repeat))
	}
	return s.inPairs(points)
}

// inPairs puts the builds of a configuration next to each other, so that little else changes
// between them. The order within a pair is that of the round, which is random.
func (s *Sweep) inPairs(points []Point) []Point {
	if len(s.Axes["build"]) < 2 {
		return points
	}
	var order []Config
	of := map[Config][]Point{}
	for i := range points {
		c := points[i].Config
		if c.Build = ""; of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], points[i])
	}
	points = points[:0]
	for _, c := range order {
		points = append(points, of[c]...)
	}
	return points
}

// Point returns one repeat of a configuration.
func (s *Sweep) Point(c *Config, repeat int) Point {
	p := Point{c.id(repeat), repeat, *c}
	p.Seed = repeatSeed(s.Seed, repeat)
	return p
}

// ConfigOf returns the configuration of a point, which all its repeats share.
func (s *Sweep) ConfigOf(pt *Point) Config {
	c := pt.Config
	c.Seed = s.Seed
	return c
}

// repeatSeed returns the seed of a repeat's operations and arrivals. With one seed for all, repeats
// would repeat one sample of them, and their spread would be too small. The first repeat has the
// sweep's own seed. The others have 53 bits, which every reader of JSON keeps.
func repeatSeed(seed uint64, repeat int) uint64 {
	if repeat == 1 {
		return seed
	}
	return rand.NewPCG(^seed, uint64(repeat)).Uint64() >> 11
}
