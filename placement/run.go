package placement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/results"
)

// Summary is what became of a sweep's points.
type Summary struct {
	Dir      string // the run folder
	Points   int    // of the sweep, as far as they were selected
	Before   int    // measured before, by a run that this one continued
	Measured int    // now
	Failed   []Failure
}

// Begun reports whether there is a run folder at all.
func (s *Summary) Begun() bool { return s.Dir != "" }

// Failure is a point that could not be measured.
type Failure struct{ ID, Reason string }

// ErrInterrupted is wrapped by the error of a sweep that was told to end.
var ErrInterrupted = errors.New("interrupted")

// sameStarts is how many points in a row may fail to even start, for one and the same reason, until
// the sweep gives up.
const sameStarts = 3

// runner is a sweep at work.
type runner struct {
	*Plan
	build  string
	out    *results.Writer
	report *reporter
	clock  estimator

	met    map[string]nodeEnv // nodes heard of since the last point
	wrote  map[string]bool    // nodes in env.jsonl
	sum    Summary
	starts struct { // failures in a row to start
		reason string
		count  int
	}
}

// Run measures the points that are missing in the run folder, one after another, and then draws
// the figures. The error is not nil unless every point is there. A point that fails does not end
// the sweep; an interruption does, and so does a run folder that takes no more.
func (p *Plan) Run(ctx context.Context) (sum Summary, err error) {
	build, err := buildID()
	if err != nil {
		return Summary{}, err
	}
	r := &runner{Plan: p, build: build, met: map[string]nodeEnv{}, wrote: map[string]bool{}}
	if r.out, err = p.open(); err != nil {
		return Summary{}, err
	}
	r.sum = Summary{Dir: p.Dir, Points: len(p.points)}
	defer func() { err = errors.Join(err, r.out.Close()) }()
	if err := r.noteFolder(); err != nil {
		return r.sum, err
	}
	r.report = newReporter(p.Stderr, len(p.points))
	err = r.points(ctx)
	r.report.close()
	if err != nil {
		return r.sum, err
	}
	return r.sum, r.conclude()
}

func (p *Plan) open() (*results.Writer, error) {
	if p.resumes {
		return results.Resume(p.Dir)
	}
	return results.Create(p.Dir, p.sweepText, p.testbedText)
}

// points measures what is missing.
func (r *runner) points(ctx context.Context) error {
	missing := r.missing(r.out.Done)
	r.sum.Before = len(r.Plan.points) - len(missing)
	r.clock = newEstimator(missing)
	for i := range missing {
		if err := r.point(ctx, &missing[i]); err != nil {
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
	if err == nil {
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
	return r.giveUp(err)
}

// done counts the points that are settled, one way or the other.
func (r *runner) done() int { return r.sum.Before + r.sum.Measured + len(r.sum.Failed) }

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
		r.sum.Failed = append(r.sum.Failed, Failure{res.Point.ID, res.Point.Error})
	}
	return nil
}

// giveUp ends the sweep when its processes do not start at all, as when the binary cannot run on a node:
// all other points would fail alike.
func (r *runner) giveUp(err error) error {
	var start startError
	if !errors.As(err, &start) {
		r.starts.count = 0
		return nil
	}
	if r.starts.reason != start.Error() {
		r.starts.reason, r.starts.count = start.Error(), 0
	}
	if r.starts.count++; r.starts.count < sameStarts {
		return nil
	}
	return fmt.Errorf("gave up after %d points in a row did not start: %w; when that is mended: %s", sameStarts, start, r.again())
}

func (r *runner) interrupted() error {
	return fmt.Errorf("%w: %d of %d points are in %s; to measure the rest: %s",
		ErrInterrupted, r.sum.Before+r.sum.Measured, r.sum.Points, r.Dir, r.again())
}

func (r *runner) full(err error) error {
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
