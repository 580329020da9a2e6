package placement

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dpukv/internal/foreign"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// Summary is what became of a sweep's points.
type Summary struct {
	Dir      string // the run folder
	Points   int    // of the sweep, as far as they were selected
	Before   int    // measured before, by a run that this one continued
	Measured int    // now
	Failed   []Failure
	Skipped  int // not tried, since a node they need does not start
}

// Begun reports whether there is a run folder at all.
func (s *Summary) Begun() bool { return s.Dir != "" }

// Failure is a point that could not be measured.
type Failure struct{ ID, Reason string }

// ErrInterrupted is wrapped by the error of a sweep that was told to end.
var ErrInterrupted = errors.New("interrupted")

// runner is a sweep at work.
type runner struct {
	*Plan
	out    *runfolder.Writer
	report *reporter
	clock  estimator

	machines *machines

	meeting sync.Mutex
	met     map[string]nodeEnv // nodes heard of since the last point
	wrote   map[string]bool    // nodes in env.jsonl
	sum     Summary
	starts  map[string]starts // by node
}

// Run measures the points that are missing in the run folder, one after another, and then draws
// the figures. The error is not nil unless every point is there. A point that fails does not end
// the sweep; an interruption does, and so does a run folder that takes no more.
func (p *Plan) Run(ctx context.Context) (sum Summary, err error) {
	if err := p.checkTools(); err != nil {
		return Summary{}, err
	}
	if p.build == "" {
		if p.build, err = buildID(); err != nil {
			return Summary{}, err
		}
	}
	r := &runner{
		Plan: p,
		met:  map[string]nodeEnv{}, wrote: map[string]bool{}, starts: map[string]starts{},
	}
	if r.out, err = p.open(); err != nil {
		return Summary{}, err
	}
	r.sum = Summary{Dir: p.Dir, Points: len(p.points)}
	defer func() { err = errors.Join(err, r.out.Close()) }()
	if err := r.noteFolder(); err != nil {
		return r.sum, err
	}
	if err := r.work(ctx); err != nil {
		return r.sum, err
	}
	return r.sum, r.conclude()
}

// work makes the machines that are emulated, measures, and takes them away.
func (r *runner) work(ctx context.Context) (err error) {
	missing := r.missing(r.out.Done)
	r.sum.Before = len(r.Plan.points) - len(missing)
	if len(missing) == 0 {
		return nil
	}
	if r.machines, err = newMachines(ctx, &r.testbed, r.command, r.keeper, r.patience, r.sweep.Submodes...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.machines.Close()) }()
	for _, note := range r.machines.notes() {
		fmt.Fprintf(r.Stderr, "testbed %s: %s\n", r.testbed.Name, note)
	}
	r.report = newReporter(r.Stderr, len(r.Plan.points))
	defer r.report.close()
	return r.points(ctx, missing)
}

func (p *Plan) open() (*runfolder.Writer, error) {
	if p.resumes {
		return runfolder.Resume(p.Dir)
	}
	return runfolder.Create(p.Dir, p.sweepText, p.testbedText)
}

// points measures what is missing.
func (r *runner) points(ctx context.Context, missing []Point) error {
	r.clock = newEstimator(missing)
	for i := range missing {
		pt := &missing[i]
		if r.lost(pt) != "" {
			r.sum.Skipped++
			r.clock.skipped(pt)
			continue
		}
		if r.machines.gone() && ctx.Err() == nil {
			return fmt.Errorf("the emulated machines are gone, as if the process that holds them was killed; to go on with new ones: %s", r.again())
		}
		if err := r.point(ctx, pt); err != nil {
			return err
		}
	}
	return nil
}

// point measures one point and puts it in the folder. An error ends the sweep.
func (r *runner) point(ctx context.Context, pt *Point) error {
	if ctx.Err() != nil {
		return r.interrupted()
	}
	begun := time.Now()
	r.report.begin(r.done()+1, pt, r.clock.left())
	res, err := r.measure(ctx, pt)
	if err != nil && ctx.Err() != nil {
		return r.interrupted()
	}
	if err = r.withMachines(err); err == nil {
		err = results.Validate(&res.Point)
	}
	if err != nil {
		res = pt.fail(res, err, begun.UTC())
	}
	if err := r.write(res); err != nil {
		return err
	}
	took := time.Since(begun)
	r.clock.finished(pt, took)
	r.report.finish(r.done(), &res.Point, took)
	r.noteStart(pt, err)
	return nil
}

// done counts the points that are settled, one way or the other.
func (r *runner) done() int { return r.sum.Before + r.sum.Measured + len(r.sum.Failed) + r.sum.Skipped }

// write puts a point, and the nodes it met, into the folder.
func (r *runner) write(res *result) error {
	for name, env := range r.met {
		if !r.wrote[name] {
			if err := r.out.AppendEnv(env); err != nil {
				return r.full(err)
			}
			r.wrote[name] = true
		}
	}
	clear(r.met)
	if err := r.out.Append(&res.Point, res.Hlog); err != nil {
		return r.full(err)
	}
	if res.Point.Status == results.StatusOK {
		r.sum.Measured++
	} else {
		r.sum.Failed = append(r.sum.Failed, Failure{res.Point.ID, foreign.Reason(res.Point.Error)})
	}
	return nil
}

func (r *runner) interrupted() error {
	return fmt.Errorf("%w: %d of %d points are in %s; to measure the rest: %s",
		ErrInterrupted, r.sum.Before+r.sum.Measured, r.sum.Points, r.Dir, r.again())
}

func (r *runner) full(err error) error {
	if errors.Is(err, runfolder.ErrChanged) {
		return fmt.Errorf("the sweep ends here: %w; look what else writes to %s; then, to measure what is missing: %s",
			err, r.Dir, r.again())
	}
	return fmt.Errorf("the sweep ends here: %w; %d of %d points are in %s; when there is room: %s",
		err, r.sum.Before+r.sum.Measured, r.sum.Points, r.Dir, r.again())
}

// again is the command that continues this run. The sweep and the testbed are in the folder.
func (r *runner) again() string {
	command := "dpukv sweep --out " + r.Dir
	if r.Only != "" {
		command += " --only " + r.Only
	}
	return command
}
