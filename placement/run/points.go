package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"dpukv/placement/sweep"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// selectPoints lists the selected points. If the rates follow from the peaks, these are the points
// of the peaks, and those that the run folder has. Further rounds follow from all of them.
func (p *Plan) selectPoints(only sweep.Selection) (err error) {
	if p.sweep.RepeatsUntil > 0 {
		p.rounds = &roundPlan{&p.sweep, map[string]*results.Point{}}
	}
	if p.sweep.FromPeaks() {
		configs := only.KeepConfigs(p.sweep.Configs())
		p.points = append(only.Keep(p.sweep.ProbePoints()), p.sweep.PeakPoints(configs)...)
		if p.rates, err = newRatePlan(&p.sweep, configs); err != nil {
			return err
		}
	} else {
		p.points = only.Keep(p.sweep.Points())
	}
	if !p.resumes || p.rates == nil && p.rounds == nil {
		return nil
	}
	run, err := runfolder.Open(p.Options.Dir)
	if err != nil {
		return err
	}
	measured, _, err := run.Points()
	for i := range measured {
		p.adopt(&measured[i])
	}
	return err
}

// requests returns the function that finds the point of a sweep that a point of a run folder
// measured. Where rates follow from peaks, any rate is one of the sweep's.
func requests(s *sweep.Sweep) (func(p *results.Point) (sweep.Point, bool), error) {
	probes := map[string]sweep.Point{}
	for _, pt := range s.ProbePoints() {
		probes[pt.ID] = pt
	}
	if s.FromPeaks() {
		rates, err := newRatePlan(s, s.Configs())
		return func(p *results.Point) (sweep.Point, bool) {
			if p.IsProbe() {
				pt, ok := probes[p.ID]
				return pt, ok
			}
			pt, _, ok := rates.asked(p)
			return pt, ok
		}, err
	}
	most := *s
	most.Repeats, most.RepeatsUntil = s.MostRepeats(), 0
	asked := map[string]sweep.Point{}
	for _, pt := range most.Points() {
		asked[pt.ID] = pt
	}
	return func(p *results.Point) (sweep.Point, bool) {
		pt, ok := asked[p.ID]
		return pt, ok
	}, nil
}

// DifferFromRequest names the points of a run folder that its sweep does not ask for, and the
// requested values that a point does not have.
//
// Each source of a merged folder has its own sweep.
func DifferFromRequest(run *runfolder.Run, points []results.Point) (differ []string, err error) {
	sources, err := run.MergedFrom()
	if err != nil {
		return nil, err
	}
	if sources == nil {
		text, err := run.Sweep()
		if err != nil {
			return nil, err
		}
		return differFromSweep(filepath.Join(run.Dir(), "sweep.yaml"), text, points)
	}
	for i := range sources {
		text, err := run.Requests(i+1, &sources[i])
		if err != nil {
			return differ, err
		}
		var of []results.Point
		for _, p := range points {
			if p.Source == i+1 {
				p.ID = runfolder.FirstID(p.ID)
				of = append(of, p)
			}
		}
		more, err := differFromSweep(fmt.Sprintf("sources/%d/sweep.yaml", i+1), text, of)
		if differ = append(differ, more...); err != nil {
			return differ, err
		}
	}
	return differ, nil
}

// differFromSweep is [DifferFromRequest] for the points of one sweep file.
func differFromSweep(name string, text []byte, points []results.Point) ([]string, error) {
	held, err := sweep.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if held.Size(sweep.MaxPoints) == sweep.MaxPoints {
		return nil, fmt.Errorf("sweep.yaml: found %d points or more, allowed: fewer",
			sweep.MaxPoints)
	}
	held.OnNodes(nodesAsked(points))
	asThen(&held, points)
	grow(&held, points)
	asked, err := requests(&held)
	if err != nil {
		return nil, err
	}
	var differ []string
	for i := range points {
		err := errors.New("sweep.yaml does not ask for it")
		if pt, ok := asked(&points[i]); ok {
			err = differs(&pt, &points[i])
		}
		if err != nil {
			differ = append(differ, fmt.Sprintf("point %s: %v", points[i].ID, err))
		}
	}
	return differ, nil
}

// differs compares a point with its request.
func differs(pt *sweep.Point, p *results.Point) error {
	want := *p
	pt.Asked(&want)
	if p.Status == results.StatusFailed && p.Mode == "" { // of a build that told neither
		want.Mode, want.Access = "", ""
	}
	if !reflect.DeepEqual(want, *p) {
		return errors.New("its requested values are not those that sweep.yaml asks for")
	}
	if p.Status != results.StatusOK {
		return nil
	}
	return pt.VerifyUsed(p)
}

// learn takes a measured point, from which others may follow.
func (p *Plan) learn(measured *results.Point) {
	if p.rates != nil {
		p.rates.add(measured)
	}
	if p.rounds != nil {
		p.rounds.add(measured)
	}
}

// adopt takes a point that was measured before.
func (p *Plan) adopt(measured *results.Point) {
	p.learn(measured)
	first := measured.RateOps == 0 && measured.Repeat <= p.sweep.Repeats // selected already
	if first || !p.judged(measured.ID) {
		return
	}
	if pt, _, ok := p.rates.asked(measured); ok {
		p.points = append(p.points, pt)
	}
}

// judged reports whether a point has a verdict of a search, or a figure from which rates follow. A
// rate beyond the capacity is a verdict, though its point failed.
func (p *Plan) judged(id string) bool { return p.rates != nil && p.rates.byID[id] != nil }

// Size is the number of requested points, including those measured already. A search needs at most
// so many, and so does a sweep that repeats until the medians are known.
func (p *Plan) Size() int {
	switch {
	case p.rates != nil:
		return p.rates.most() + p.probes()
	case p.rounds != nil:
		return p.rounds.most(p.points) + p.probes()
	}
	return len(p.points)
}

// probes counts the probes among the points.
func (p *Plan) probes() (n int) {
	for i := range p.points {
		if p.points[i].IsProbe() {
			n++
		}
	}
	return n
}

// Resumes reports whether the run folder holds a part of the plan already.
func (p *Plan) Resumes() bool { return p.resumes }

// Searches reports whether the plan is a search for the highest rate within a bound.
func (p *Plan) Searches() bool { return p.sweep.SLO != "" }

// size is the number of requested points in words.
func (p *Plan) size() string {
	if p.Searches() || p.rounds != nil {
		return fmt.Sprintf("at most %d", p.Size())
	}
	return fmt.Sprint(p.Size())
}

// due returns the points to measure next. It returns none when all were tried.
func (p *Plan) due(done func(id string) bool) []sweep.Point {
	for {
		p.follow()
		due := p.missing(func(id string) bool { return done(id) || p.tried[id] })
		if len(due) > 0 || p.rounds == nil {
			return due
		}
		round := p.rounds.next(p.points)
		if len(round) == 0 {
			return nil
		}
		p.points = append(p.points, round...)
	}
}

// follow adds the points whose rates follow from measured points.
func (p *Plan) follow() {
	if p.rates == nil {
		return
	}
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

// missing returns the points that are not done, in their order.
func (p *Plan) missing(done func(id string) bool) []sweep.Point {
	return slices.DeleteFunc(slices.Clone(p.points), func(pt sweep.Point) bool {
		return done(pt.ID)
	})
}

// toCome returns the due points, and one for each point that will or may follow from them.
func toCome(p *Plan, due []sweep.Point) []sweep.Point {
	all := slices.Clone(due)
	if missing := p.Size() - len(p.points); missing > 0 {
		configs := p.toRepeat()
		for i := range missing {
			all = append(all, p.sweep.Point(&configs[i%len(configs)], 1))
		}
	}
	return all
}

// toRepeat returns the configurations of the points to come.
func (p *Plan) toRepeat() (configs []sweep.Config) {
	if p.rates != nil {
		return p.rates.configs
	}
	for _, c := range p.rounds.repeats(p.points) {
		configs = append(configs, c.Config)
	}
	return configs
}
