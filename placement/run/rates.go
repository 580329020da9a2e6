package run

import (
	"math/rand/v2"
	"slices"

	"dpukv/internal/sample"
	"dpukv/placement/search"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// ratePlan finds the points whose rates follow from measured peaks: shares of the peak, or the next
// rates of a search. It decides from measured points alone. So a run folder has all that an
// interrupted search needs.
type ratePlan struct {
	sweep   *sweep.Sweep
	bound   results.Bound // of a search
	configs []sweep.Config
	byID    map[string]*results.Point // those that are ok, or a verdict
	atRates [][]*results.Point        // of each configuration, those of byID
}

// newRatePlan returns the plan of some of a sweep's configurations.
func newRatePlan(s *sweep.Sweep, configs []sweep.Config) (*ratePlan, error) {
	r := &ratePlan{
		sweep: s, configs: configs, byID: map[string]*results.Point{},
		atRates: make([][]*results.Point, len(configs)),
	}
	if s.SLO == "" {
		return r, nil
	}
	var err error
	r.bound, err = s.Bound()
	return r, err
}

// asked returns the point of the sweep that a point of a run folder measured.
func (r *ratePlan) asked(p *results.Point) (pt sweep.Point, config int, ok bool) {
	for i := range r.configs {
		c := r.configs[i].Peak()
		if p.RateOps > 0 {
			c = r.configs[i].AtRate(p.RateOps, p.RateShare)
		}
		if pt = r.sweep.Point(&c, p.Repeat); pt.ID == p.ID {
			return pt, i, true
		}
	}
	return pt, 0, false
}

// add takes a measured point.
func (r *ratePlan) add(p *results.Point) {
	_, config, ok := r.asked(p)
	verdict := p.Status == results.StatusOK || r.sweep.SLO != "" && p.BeyondCapacity()
	if !ok || !verdict || r.byID[p.ID] != nil {
		return
	}
	r.byID[p.ID] = p
	if p.RateOps > 0 {
		r.atRates[config] = append(r.atRates[config], p)
	}
}

// peaks returns the throughputs of a configuration in a closed loop, and those that a search
// measured again at its end. Before all repeats are measured, there are none.
func (r *ratePlan) peaks(config int) (early, late []float64) {
	peak := r.configs[config].Peak()
	for repeat := 1; ; repeat++ {
		p := r.byID[r.sweep.Point(&peak, repeat).ID]
		switch {
		case p == nil && repeat <= r.sweep.Repeats:
			return nil, nil
		case p == nil:
			return early, late
		case repeat <= r.sweep.Repeats:
			early = append(early, p.ThroughputOps)
		default:
			late = append(late, p.ThroughputOps)
		}
	}
}

// peak returns the median throughput of a configuration in a closed loop, or 0 before all repeats
// are measured.
func (r *ratePlan) peak(config int) float64 {
	early, _ := r.peaks(config)
	return sample.Median(early)
}

// next returns the points that follow from the measured ones. Those of one repeat have a random
// order.
func (r *ratePlan) next() (list []sweep.Point) {
	for i := range r.configs {
		peak := r.peak(i)
		switch {
		case peak == 0:
		case r.sweep.SLO == "":
			list = append(list, r.atShares(i, peak)...)
		default:
			list = append(list, r.searched(i, peak)...)
		}
	}
	rng := rand.New(rand.NewPCG(r.sweep.Seed, uint64(len(r.byID))))
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b sweep.Point) int { return a.Repeat - b.Repeat })
	return list
}

// atShares returns the points at the shares of a peak that are not measured.
func (r *ratePlan) atShares(config int, peak float64) (list []sweep.Point) {
	for _, share := range r.sweep.RateShares() {
		for repeat := 1; repeat <= r.sweep.Repeats; repeat++ {
			c := r.configs[config].AtRate(search.Round(share*peak), share)
			if pt := r.sweep.Point(&c, repeat); r.byID[pt.ID] == nil {
				list = append(list, pt)
			}
		}
	}
	return list
}

// searched returns the points that the search of a configuration needs next.
func (r *ratePlan) searched(config int, peak float64) (list []sweep.Point) {
	trials, s := r.trials(config), r.search(config)
	for _, rate := range s.Next(trials) {
		if rate == 0 {
			again := r.configs[config].Peak()
			list = append(list, r.sweep.Point(&again, r.sweep.Repeats+len(s.Late)+1))
			continue
		}
		repeat := 1
		for _, t := range trials {
			if t.Rate == rate {
				repeat++
			}
		}
		c := r.configs[config].AtRate(rate, r.shareOf(rate, peak))
		list = append(list, r.sweep.Point(&c, repeat))
	}
	return list
}

// shareOf returns the share of the peak that leads to a rate. It is the sweep's own where there is
// one.
func (r *ratePlan) shareOf(rate, peak float64) float64 {
	for _, share := range r.sweep.RateShares() {
		if search.Round(share*peak) == rate {
			return share
		}
	}
	return search.Round(rate / peak)
}

func (r *ratePlan) search(config int) *search.Search {
	early, late := r.peaks(config)
	return &search.Search{
		Peak: sample.Median(early), Shares: r.sweep.RateShares(), Repeats: r.sweep.Repeats,
		Early: early, Late: late,
	}
}

// trials returns the verdicts of a configuration's points.
func (r *ratePlan) trials(config int) (list []search.Trial) {
	for _, p := range r.atRates[config] {
		list = append(list, search.Trial{Rate: p.RateOps, Within: r.within(p)})
	}
	return list
}

// within reports whether a point reached its rate and kept the bound.
func (r *ratePlan) within(p *results.Point) bool {
	return reached(p) && !r.bound.Metric.LowerBound(p) && r.bound.Metric.Of(p) <= r.bound.Ns
}

// reached reports whether the clients offered the whole rate and the server took it. One batch per
// thread may be left at the end: it was due in the last moment.
func reached(p *results.Point) bool {
	threads := p.ClientThreads * max(len(p.Clients), 1)
	return p.UnsentOps <= uint64(p.Batch*threads) &&
		!p.Warnings.Has(results.RateMissed, results.Backlogged)
}

// most returns the highest number of points, with those of the peaks.
func (r *ratePlan) most() int {
	each, ofPeak := len(r.sweep.RateShares())*r.sweep.MostRepeats(), r.sweep.MostRepeats()
	if r.sweep.SLO != "" && len(r.configs) > 0 {
		s := r.search(0)
		each, ofPeak = s.Most(), r.sweep.Repeats+s.Again()
	}
	peaks := len(r.sweep.PeakPoints(r.configs)) / r.sweep.Repeats
	return peaks*ofPeak + len(r.configs)*each
}
