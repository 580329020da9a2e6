package run

import (
	"fmt"
	"slices"

	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// selectPoints lists the selected points. If the rates follow from the peaks, these are the points
// of the peaks, and those that the run folder has.
func (p *Plan) selectPoints(only sweep.Selection) (err error) {
	if !p.sweep.FromPeaks() {
		p.points = only.Keep(p.sweep.Points())
		return nil
	}
	configs := only.KeepConfigs(p.sweep.Configs())
	p.points = p.sweep.PeakPoints(configs)
	if p.rates, err = newRatePlan(&p.sweep, configs); err != nil || !p.resumes {
		return err
	}
	run, err := runfolder.Open(p.Dir)
	if err != nil {
		return err
	}
	measured, _, err := run.Points()
	for i := range measured {
		p.adopt(&measured[i])
	}
	return err
}

// adopt takes a point that was measured before.
func (p *Plan) adopt(measured *results.Point) {
	p.rates.add(measured)
	pt, _, ok := p.rates.asked(measured)
	if ok && measured.RateOps > 0 && measured.Status == results.StatusOK {
		p.points = append(p.points, pt)
	}
}

// Size is the number of requested points, including those measured already. A search needs at most
// so many.
func (p *Plan) Size() int {
	if p.rates != nil {
		return p.rates.most()
	}
	return len(p.points)
}

// Searches reports whether the plan is a search for the highest rate within a bound.
func (p *Plan) Searches() bool { return p.sweep.SLO != "" }

// size is the number of requested points in words.
func (p *Plan) size() string {
	if p.sweep.SLO != "" {
		return fmt.Sprintf("at most %d", p.Size())
	}
	return fmt.Sprint(p.Size())
}

// due returns the points to measure next. It returns none when all were tried.
func (p *Plan) due(done func(id string) bool) []sweep.Point {
	if p.rates != nil {
		known := map[string]bool{}
		for i := range p.points {
			known[p.points[i].ID] = true
		}
		for _, pt := range p.rates.next() {
			if !known[pt.ID] {
				p.points = append(p.points, pt)
			}
		}
	}
	return p.missing(func(id string) bool { return done(id) || p.tried[id] })
}

// missing returns the points that are not done, in their order.
func (p *Plan) missing(done func(id string) bool) []sweep.Point {
	return slices.DeleteFunc(slices.Clone(p.points), func(pt sweep.Point) bool {
		return done(pt.ID)
	})
}

// toCome returns the due points, and one for each point that will follow from them.
func toCome(p *Plan, due []sweep.Point) []sweep.Point {
	if p.rates == nil {
		return due
	}
	all := slices.Clone(due)
	for i := range max(p.Size()-len(p.points), 0) {
		c := &p.rates.configs[i%len(p.rates.configs)]
		all = append(all, p.sweep.Point(c, 1))
	}
	return all
}
