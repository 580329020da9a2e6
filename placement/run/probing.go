package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dpukv/placement/node"
	"dpukv/probe"
	"dpukv/results"
)

// probing is the measurement of a probe.
type probing struct {
	*measurement
	ready *node.ProbeReady // the server's; nil: there is none
}

// probe measures a probe, once its processes have started.
func (m *measurement) probe(ctx context.Context) (*node.Result, error) {
	warnings, err := assignCPUs(m.machines, m.all, m.pt, &m.nodes)
	if err != nil {
		return nil, err
	}
	p := probing{measurement: m}
	if len(m.all.clients) == 0 {
		res, err := p.alone(ctx)
		return p.done(res, warnings), err
	}
	if err := p.serve(ctx); err != nil {
		return nil, err
	}
	serving, cancel := untilEnded(ctx, m.all.server.Process, "serve "+m.pt.Measure)
	defer cancel()
	res, err := p.load(serving)
	if err != nil && ctx.Err() == nil {
		err = blame(ctx, m.path, rootCause(serving, err))
	}
	return p.done(res, slices.Concat(m.cards.warnings(m.pt.Submode, &m.nodes),
		m.path.warnings(m.all), warnings)), err
}

// configure gives a member its part.
func (p *probing) configure(m *member, server bool) error {
	spec, err := p.probeSpec(p.pt, &p.nodes, m.end.node, server)
	if err != nil {
		return err
	}
	if p.ready != nil {
		spec.Addr = p.ready.Addr
	}
	m.Send(&node.Configure{CPUs: m.end.cpus, Probe: &spec})
	return nil
}

// serve starts the server of a pair.
func (p *probing) serve(ctx context.Context) error {
	p.report.does("start the server of %s", p.pt.Measure)
	if err := p.configure(p.all.server, true); err != nil {
		return err
	}
	ready, err := node.Expect[*node.ProbeReady](ctx, p.all.server.Process, p.timeouts.Server,
		"start the server of "+p.pt.Measure)
	p.ready = ready
	return err
}

// load measures a pair, with the counts of its server and of the path.
func (p *probing) load(ctx context.Context) (*node.Result, error) {
	client := p.all.clients[0]
	if err := p.prepare(ctx, client); err != nil {
		return nil, err
	}
	before, err := p.count(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.path.begin(ctx); err != nil {
		return nil, err
	}
	began := before // unless the client tells when its period begins
	res, outcome, err := p.measure(ctx, client, func(*node.Progress) {
		if c, err := p.count(ctx); err == nil { // else the count at the end fails, too
			began = c
		}
	})
	if err != nil {
		return nil, err
	}
	after, err := p.count(ctx)
	if err != nil {
		return res, err
	}
	res.Point.Figures["server_cpus"] = after.cpusSince(began)
	point := &res.Point
	point.ClientMovedLoad = results.MovedOf(outcome.Moved)
	point.ServerMovedLoad = results.MovedOf(after.Moved.Since(&before.Moved))
	point.ServerFacts = p.ready.Facts
	if wall := outcome.Duration; wall > 0 {
		point.Figures["client_cpus"] = float64(outcome.CPUNs) / float64(wall.Nanoseconds())
	}
	return res, p.path.end(ctx, point)
}

// counts are a server's counts at a time.
type counts struct {
	*node.Counted
	at time.Time
}

func (p *probing) count(ctx context.Context) (*counts, error) {
	c, err := count(ctx, p.all.server.Process, p.timeouts.Result)
	return &counts{c, time.Now()}, err
}

// cpusSince returns the CPU time since an earlier count for each second of it.
func (c *counts) cpusSince(began *counts) float64 {
	return float64(c.CPUNs-began.CPUNs) / float64(max(c.at.Sub(began.at), 1))
}

// alone measures one machine.
func (p *probing) alone(ctx context.Context) (*node.Result, error) {
	if err := p.prepare(ctx, p.all.server); err != nil {
		return nil, err
	}
	res, _, err := p.measure(ctx, p.all.server, func(*node.Progress) {})
	return res, err
}

// prepare waits until the member that measures waits for go.
func (p *probing) prepare(ctx context.Context, m *member) error {
	if err := p.configure(m, false); err != nil {
		return err
	}
	_, err := node.Expect[*node.ProbeReady](ctx, m.Process, p.timeouts.Client,
		"prepare "+p.pt.Measure)
	return err
}

// slowness is how much longer than expected a probe may take: on an emulated DPU, or beside others.
const slowness = 10

// measure takes a member from go to its result.
func (p *probing) measure(
	ctx context.Context, m *member, began func(*node.Progress),
) (*node.Result, *probe.Outcome, error) {
	throttledBefore, err := p.machines.Throttling()
	if err != nil {
		return nil, nil, err
	}
	expect := p.pt.Probe().Expect(p.pt.Settings, p.pt.Warmup, p.pt.Duration)
	p.report.does("measure for about %v", expect.Round(100*time.Millisecond))
	m.Send(&node.Begin{})
	p.tell("go")
	got, err := node.Follow[*node.ProbeResult](ctx, m.Process, slowness*expect+p.timeouts.Result,
		fmt.Sprintf("measure %s for about %v", p.pt.Measure, expect), began)
	if err != nil {
		return nil, nil, err
	}
	throttled, err := p.machines.Throttling()
	if err != nil {
		return nil, nil, err
	}
	o := &got.Outcome
	res := &node.Result{Hlog: got.Hlog, Point: results.Point{
		Status: results.StatusOK, Figures: o.Figures, Facts: o.Facts, StartedAt: o.StartedAt,
		DurationNs: o.Duration.Nanoseconds(), Transport: o.Transport, Provider: o.Provider,
		Emulated: o.Emulated,
		Warnings: append(slices.Clone(o.Warnings), throttled.WarningsSince(throttledBefore)...),
	}}
	p.pt.Asked(&res.Point)
	return res, o, p.pt.VerifyUsed(&res.Point)
}

// done adds what only the orchestrator knows.
func (p *probing) done(res *node.Result, warnings []string) *node.Result {
	if res == nil {
		return nil
	}
	point := &res.Point
	p.completeMachines(point)
	point.ClientVersion, point.ServerCPUs = p.Version, p.all.server.end.cpus
	for _, c := range p.all.clients {
		point.ClientCPUs = append(point.ClientCPUs, c.end.cpus...)
		point.Clients = append(point.Clients,
			results.ClientShare{Node: resultNode(c.end.node), CPUs: c.end.cpus})
	}
	if p.ready != nil {
		point.ServerVersion, point.ServerAddr = p.Version, p.ready.Addr
	}
	p.doubt(point, warnings)
	return res
}
