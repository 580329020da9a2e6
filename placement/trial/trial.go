package trial

import (
	"context"
	"errors"
	"slices"

	"dpukv/client"
	"dpukv/kvs"
	"dpukv/load/trace"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/path"
	"dpukv/placement/plan"
	"dpukv/placement/process"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// Bench is what a sweep lends to its trials.
type Bench struct {
	Machines *machines.Machines
	// Start starts a node's process and makes sure that it is the program to measure.
	Start       func(context.Context, *testbed.Node) (*node.Process, *node.Hello, error)
	Report      Reporter
	Timeouts    node.Timeouts
	Version     string          // of that program
	Credentials kvs.Credentials // for an attached server
	Found       string          // a warning about the keys of an attached server
	Guard       *client.Guard   // of its items of others; nil: the server is dpukv's own
	CPUs        []int           // of this machine, those that may be used
	// Traces are those of the points before, by node and path. A trial adds its own.
	Traces map[string]*trace.Identity
	// Observe hears of "begin", "go" and "end"; nil: nobody does.
	Observe func(event string, pt *sweep.Point, m *machines.Machines)
}

// Reporter shows what a trial does.
type Reporter interface {
	Does(format string, args ...any)
	// Of returns a function that takes a client's progress, from any goroutine.
	Of(node string) func(*node.Progress)
}

// trial is one point under measurement.
type trial struct {
	b     *Bench
	plan  *plan.Trial // on the nodes in their cards' modes
	pt    *sweep.Point
	nodes *testbed.Assignment
	path  *path.Path
	all   *group
}

// driver gives the processes of one kind of trial their tasks.
type driver interface {
	// serves names the task of a process while it serves.
	serves(role process.Role) string
	// serve starts what serves, in its order.
	serve(ctx context.Context) error
	// prepare returns when every process that measures waits for go.
	prepare(ctx context.Context) error
	// load follows the processes from go until the load is over.
	load(ctx context.Context) error
	// collect takes the result, and puts in what the gate counted.
	collect(ctx context.Context, g *gate) (*node.Result, error)
	// failed returns the result of a process that reports its own failure; nil: none does.
	failed() *node.Result
	// complete adds what only the orchestrator knows, also to a failed result.
	complete(p *results.Point) results.Warnings
}

// Measure measures the point of a trial. If a process of it failed, it returns
// that one's result together with the error.
func Measure(
	ctx context.Context, b *Bench, p *plan.Trial,
) (res *node.Result, err error) {
	t := &trial{b: b, plan: p, pt: p.Point, nodes: &p.Nodes, path: &path.Path{}}
	t.tell("begin")
	defer t.tell("end")
	defer func() {
		if err != nil { // whatever the cause, the next point sets its datapath up anew
			err = errors.Join(err, b.Machines.Clear())
		}
	}()
	if err := t.connect(ctx); err != nil {
		return nil, err
	}
	b.Report.Does("start the processes")
	if t.all, err = t.start(ctx); err != nil {
		return nil, err
	}
	defer func() {
		closed := t.all.close()
		err = errors.Join(t.all.dead(t.all.lost(err)), closed)
	}()
	return t.run(ctx)
}

// tell informs a test of an event.
func (t *trial) tell(event string) {
	if t.b.Observe != nil {
		t.b.Observe(event, t.pt, t.b.Machines)
	}
}

// connect sets up the way between the ends. A probe of one machine has none, and no datapath that
// uses CPUs beside it.
func (t *trial) connect(ctx context.Context) (err error) {
	if len(t.nodes.Clients) == 0 {
		return t.b.Machines.Clear()
	}
	if err := t.b.Machines.Wire(ctx, t.pt.Submode); err != nil {
		return err
	}
	if t.path, err = path.Find(ctx, t.b.Machines, t.pt, t.nodes); err != nil {
		return err
	}
	t.plan = t.plan.InModes(&t.path.Nodes)
	t.nodes = &t.plan.Nodes
	t.b.Report.Does("set up submode %s", t.pt.Submode)
	return t.path.SetUp(ctx, t.b.Machines, t.pt, t.b.CPUs)
}

func (t *trial) driver() driver {
	if t.pt.IsProbe() {
		return &probing{t: t}
	}
	return &storing{t: t, ready: map[process.Role]*node.Ready{}}
}

// run takes the processes from their start to the result.
func (t *trial) run(ctx context.Context) (*node.Result, error) {
	d := t.driver()
	warnings, err := t.assignCPUs()
	if err != nil {
		return nil, err
	}
	if err := d.serve(ctx); err != nil {
		return nil, err
	}
	serving, cancel := t.all.watch(ctx, d.serves)
	defer cancel()
	res, err := t.load(serving, d)
	if err != nil && ctx.Err() == nil { // an interrupted user does not wait for the cause
		err = t.path.Blame(ctx, t.rootCause(serving, err))
	}
	if res != nil {
		t.complete(&res.Point, slices.Concat(t.path.Warnings(t.all.processes()), warnings,
			d.complete(&res.Point)))
	}
	return res, err
}

// load takes the processes from their preparation to the result.
func (t *trial) load(ctx context.Context, d driver) (*node.Result, error) {
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	g := &gate{t: t}
	defer g.release()
	disturbed, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range t.all.measuring() {
		m.Send(&node.Begin{})
	}
	t.tell("go")
	if err := d.load(disturbed); err != nil {
		return d.failed(), err
	}
	if err := g.close(ctx); err != nil {
		return nil, err
	}
	res, err := d.collect(ctx, g)
	if err != nil {
		return d.failed(), err
	}
	g.note(&res.Point)
	return res, t.path.End(ctx, &res.Point)
}

// complete adds the machines of the processes, and puts the orchestrator's warnings before those of
// the ends.
func (t *trial) complete(p *results.Point, warnings results.Warnings) {
	p.ClientVersion = t.b.Version
	p.ServerNode, p.Cards = resultNode(t.all.first().place.Node), t.path.Cards()
	p.Machine, p.Hosts = t.all.machine(t.pt.Attach)
	if p.Build != "" {
		p.Builds = t.all.builds()
	}
	if p.EmulatedTestbed = t.b.Machines.Bed.EmulatedText(); p.EmulatedTestbed != "" {
		p.Emulated = true
		// The counters are those of the machine that runs the emulation.
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = 0, ""
		p.ClientEnergyUJPerOp, p.ClientEnergyBy = 0, ""
	}
	emulators := t.all.emulatorWarnings()
	p.Emulated = p.Emulated || emulators != nil
	p.Warnings = slices.Concat(emulators, warnings, p.Warnings)
}

// resultNode returns the node as a point names it.
func resultNode(n *testbed.Node) results.Node {
	return results.Node{Node: n.Name, Kind: n.Kind, Generation: n.Generation, Profile: n.Profile}
}
