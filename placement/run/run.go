package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dpukv/client/ownkeys"
	"dpukv/internal/foreign"
	"dpukv/internal/provenance"
	"dpukv/load/trace"
	"dpukv/placement/estimate"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/plan"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/placement/trial"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// Summary counts the outcomes of a sweep's points.
type Summary struct {
	Dir      string // the run folder
	Points   int    // selected points of the sweep
	Before   int    // measured by the run that this one continues
	Measured int    // by this run
	Failed   []Failure
	Skipped  int // not tried, since a node that they need does not start
}

// Begun reports whether there is a run folder at all.
func (s *Summary) Begun() bool { return s.Dir != "" }

// Failure is a failed point with its reason.
type Failure struct{ ID, Reason string }

// ErrInterrupted is wrapped by the error of an interrupted sweep.
var ErrInterrupted = errors.New("interrupted")

// runner runs a sweep.
type runner struct {
	plan   *Plan
	o      *Options // of the plan
	out    *runfolder.Writer
	report *reporter
	clock  *estimate.Sweep

	machines *machines.Machines
	found    ownkeys.Found // keys of an attached server, before the sweep
	stored   []ownkeys.Set // by points of this run, and there
	unsure   bool          // of keys of a failed point
	lost     uint64        // items of others
	traces   map[string]*trace.Identity
	pages    linePages

	envs     nodeEnvs
	sum      Summary
	failures nodeFailures
}

// Run measures the points that the run folder lacks, one after another, and then draws the figures.
// The error is nil only if every point is there. A failed point does not end the sweep. An
// interruption does, and so does a run folder that cannot be written any more.
func (p *Plan) Run(ctx context.Context) (sum Summary, err error) {
	if err := checkTools(p); err != nil {
		return Summary{}, err
	}
	if err := p.findThis(); err != nil {
		return Summary{}, err
	}
	r := &runner{
		plan: p, o: &p.Options, failures: nodeFailures{}, traces: map[string]*trace.Identity{},
	}
	defer func() { err = errors.Join(err, r.sayLost()) }()
	if r.out, err = p.open(); err != nil {
		return Summary{}, err
	}
	r.sum = Summary{Dir: p.Options.Dir, Points: p.Size()}
	defer func() {
		if err == nil || p.resumes || r.clock != nil || errors.Is(err, ErrInterrupted) {
			err = errors.Join(err, r.out.Close())
			return
		}
		err = errors.Join(err, r.out.Discard()) // refused before the first point
		sum.Dir = ""
	}()
	if err := checkFolder(r); err != nil {
		return r.sum, err
	}
	if err := r.knownPages(); err != nil {
		return r.sum, err
	}
	if err := p.recordStart(r.out); err != nil {
		return r.sum, err
	}
	if err := r.work(ctx); err != nil {
		return r.sum, err
	}
	return r.sum, finish(r)
}

func (p *Plan) open() (*runfolder.Writer, error) {
	if p.resumes {
		return runfolder.Resume(p.Options.Dir)
	}
	return runfolder.Create(p.Options.Dir, p.sweepText, p.testbedText)
}

// recordStart puts the command line, the user and the source of this binary into the folder.
func (p *Plan) recordStart(out *runfolder.Writer) error {
	start := provenance.Begin(p.Options.Argv, p.Options.Source, p.Options.build)
	for _, w := range start.Warnings {
		fmt.Fprintln(p.Options.Stderr, "warning:", w)
	}
	return out.AppendStart(start)
}

// work makes the emulated machines, measures, and removes the machines.
func (r *runner) work(ctx context.Context) (err error) {
	due := r.nextDue()
	if len(due) == 0 {
		fmt.Fprintf(r.o.Stderr, "%s: all %d points are there already: nothing was measured\n",
			r.o.Dir, len(r.plan.points))
		return nil
	}
	if r.machines, err = machines.New(ctx, &r.plan.testbed, r.o.command, r.o.keeper, r.o.timeouts,
		r.plan.sweep.Values("submode")...); err != nil {
		if ctx.Err() != nil {
			return r.interrupted()
		}
		return err
	}
	defer func() { err = errors.Join(err, r.machines.Close()) }()
	for _, note := range r.machines.Notes() {
		fmt.Fprintf(r.o.Stderr, "testbed %s: %s\n", r.plan.testbed.Name, note)
	}
	r.report = newReporter(r.o.Stderr, r.plan.size())
	defer r.report.close()
	if err := r.askOthers(ctx, due); err != nil {
		return err
	}
	defer func() {
		if err == nil || errors.Is(err, ErrInterrupted) {
			err = errors.Join(err, r.noteSilent())
		}
	}()
	if err := r.examineProbes(ctx, due); err != nil {
		return err
	}
	if err := r.consent(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.removeOwn(ctx)) }()
	r.clock = estimate.New(toCome(r.plan, due), &r.plan.testbed)
	for ; len(due) > 0; due = r.nextDue() {
		if err := r.points(ctx, due); err != nil {
			return err
		}
	}
	return nil
}

// nextDue returns the due points. The plan may then have more points of an earlier run: those that
// follow from a point which failed there.
func (r *runner) nextDue() []sweep.Point {
	have := func(id string) bool { return r.out.Done(id) || r.plan.judged(id) }
	due := r.plan.due(have)
	there := 0
	for i := range r.plan.points {
		if have(r.plan.points[i].ID) {
			there++
		}
	}
	r.sum.Before = there - r.sum.Measured
	return due
}

// points measures the due points.
func (r *runner) points(ctx context.Context, due []sweep.Point) error {
	for i := range due {
		pt := &due[i]
		r.plan.tried[pt.ID] = true
		if r.failures.givenUp(r.nodesOf(pt)) != "" {
			r.sum.Skipped++
			r.clock.Dropped(pt)
			continue
		}
		if r.machines.Gone() && ctx.Err() == nil {
			return fmt.Errorf("the emulated machines are gone, as if the process that holds them "+
				"was killed; to go on with new ones: %s", r.again())
		}
		if err := r.point(ctx, pt); err != nil {
			return err
		}
	}
	return nil
}

// point measures one point and puts it in the folder. An error ends the sweep.
func (r *runner) point(ctx context.Context, pt *sweep.Point) error {
	if ctx.Err() != nil {
		return r.interrupted()
	}
	begun := time.Now()
	r.report.begin(r.done()+1, pt, r.clock.Left())
	res, err := r.measureOnPages(ctx, pt)
	r.noteStored(pt, res, err)
	if err != nil && ctx.Err() != nil {
		return r.interrupted()
	}
	if err = r.withMachines(err); err == nil {
		err = results.Validate(&res.Point)
	}
	if err != nil {
		res = failedResult(pt, res, err, begun.UTC())
	}
	if err := r.write(res); err != nil {
		return err
	}
	took := time.Since(begun)
	if err != nil {
		r.clock.Dropped(pt)
	} else {
		r.clock.Finished(pt, took)
	}
	r.report.finish(r.done(), &res.Point, took)
	r.failures.note(r.nodesOf(pt), err)
	return nil
}

// measure measures a point on the machines in use, with the addresses of made ones.
func (r *runner) measure(ctx context.Context, pt *sweep.Point) (*node.Result, error) {
	of, err := plan.Of(pt, &r.machines.Bed)
	if err != nil {
		return nil, err
	}
	if err := r.makeWay(ctx, pt); err != nil {
		return nil, err
	}
	by := r.plan.programOf(pt)
	return trial.Measure(ctx, &trial.Bench{
		Machines: r.machines, Report: r.report, Timeouts: r.o.timeouts,
		Start: func(
			ctx context.Context, n *testbed.Node,
		) (*node.Process, *node.Hello, error) {
			return r.start(ctx, n, by)
		},
		Version: by.Version, Credentials: r.o.Credentials, Found: r.found.Warning(),
		Guard: r.guard(pt),
		CPUs:  slices.Concat(r.plan.cores...), Traces: r.traces, Observe: r.o.observe,
	}, of)
}

// failedResult returns the result of a failed point, with the data at hand.
func failedResult(pt *sweep.Point, res *node.Result, err error, at time.Time) *node.Result {
	if res == nil {
		res = &node.Result{Point: results.Point{Warnings: results.Warnings{}}}
		res.Point.StartedAt = at
		pt.Asked(&res.Point)
	}
	res.Point.Status, res.Point.Error, res.Hlog = results.StatusFailed, err.Error(), nil
	return res
}

// nodesOf returns a point's nodes; none if the testbed lacks them.
func (r *runner) nodesOf(pt *sweep.Point) (nodes []*testbed.Node) {
	of, err := plan.Of(pt, &r.plan.testbed)
	if err != nil {
		return nil
	}
	for _, p := range of.Processes {
		if !slices.Contains(nodes, p.Node) { // that of the neighbour may be the server's
			nodes = append(nodes, p.Node)
		}
	}
	return nodes
}

// begin starts a node's process of this program.
func (r *runner) begin(
	ctx context.Context, n *testbed.Node,
) (*node.Process, *node.Hello, error) {
	return r.start(ctx, n, &r.plan.this)
}

// start starts a node's process and makes sure that it is the program.
func (r *runner) start(
	ctx context.Context, n *testbed.Node, by *program,
) (*node.Process, *node.Hello, error) {
	p, h, err := r.machines.Agent(ctx, n, by.start)
	if err != nil {
		if ctx.Err() == nil && r.envs.missing(n.Name) {
			r.envs.note(envOfSilent(r.machines, n, err))
		}
		return nil, nil, err
	}
	err = by.Recognize(n.Name, h)
	if err == nil {
		err = r.plan.mistakable(n, h, by)
	}
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	env := envOf(r.machines, n, h)
	env.Beside = by.beside
	r.envs.note(env)
	return p, h, nil
}

// withMachines prepends that the emulated machines are gone, and everything on them with them.
func (r *runner) withMachines(err error) error {
	if !r.machines.Gone() {
		return err
	}
	const why = "the emulated machines ended in the middle of it, as if the process that holds " +
		"them was killed"
	if err == nil {
		return errors.New(why)
	}
	return fmt.Errorf("%s; so that %w", why, err)
}

// done counts the finished points, whatever their outcome.
func (r *runner) done() int {
	return r.sum.Before + r.sum.Measured + len(r.sum.Failed) + r.sum.Skipped
}

// write puts a point, and the environment of its nodes, into the folder.
func (r *runner) write(res *node.Result) error {
	if err := r.writeEnvs(); err != nil {
		return err
	}
	if err := r.out.Append(&res.Point, res.Hlog); err != nil {
		return r.full(err)
	}
	r.plan.learn(&res.Point)
	r.pages.note(&res.Point)
	if res.Point.Status == results.StatusOK || r.plan.judged(res.Point.ID) {
		r.sum.Measured++
	} else {
		r.sum.Failed = append(r.sum.Failed, Failure{res.Point.ID, foreign.Reason(res.Point.Error)})
	}
	return nil
}

func (r *runner) interrupted() error {
	return fmt.Errorf("%w: %d of %s points are in %s; continue with: %s",
		ErrInterrupted, r.sum.Before+r.sum.Measured, r.plan.size(), r.o.Dir, r.again())
}

func (r *runner) full(err error) error {
	if errors.Is(err, runfolder.ErrChanged) {
		return fmt.Errorf("the sweep ends here: %w; look what else writes to %s; then, to "+
			"measure what is missing: %s",
			err, r.o.Dir, r.again())
	}
	return fmt.Errorf("the sweep ends here: %w; %d of %s points are in %s; when there is room: %s",
		err, r.sum.Before+r.sum.Measured, r.plan.size(), r.o.Dir, r.again())
}

// again returns the command that continues this run. The folder has the sweep and the testbed.
func (r *runner) again() string { return r.againWith(ownkeys.Terms{}) }

// againWith is again with more consent.
func (r *runner) againWith(t ownkeys.Terms) string {
	command := "dpukv sweep --resume --out " + r.o.Dir
	if r.o.Only != "" {
		command += " --only " + r.o.Only
	}
	if r.o.Beside != "" {
		command += " --beside " + r.o.Beside
	}
	if r.o.Yes || t.Yes {
		command += " --yes"
	}
	if r.o.EvictOthers {
		command += " --evict-others"
	}
	if r.o.Keep {
		command += " --keep"
	}
	return command
}
