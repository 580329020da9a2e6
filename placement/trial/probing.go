package trial

import (
	"context"
	"fmt"
	"time"

	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/results"
)

// probing drives the processes of a probe: one, or a server and its client.
type probing struct {
	t     *trial
	ready *node.ProbeReady // the server's; nil: there is none
	began *counts          // of the server when the period began, if the client told that
	got   *node.ProbeResult
}

func (p *probing) serves(process.Role) string { return "serve " + p.t.pt.Measure }

// configure gives a member its part, and waits until it is ready.
func (p *probing) configure(
	ctx context.Context, m *member, server bool, timeout time.Duration, task string,
) (*node.ProbeReady, error) {
	spec, err := p.t.plan.ProbeSpec(m.place.Node, server)
	if err != nil {
		return nil, err
	}
	if p.ready != nil {
		spec.Addr = p.ready.Addr
	}
	m.Send(&node.Configure{CPUs: m.place.CPUs, Probe: &spec})
	return node.Expect[*node.ProbeReady](ctx, m.Process, timeout, task)
}

func (p *probing) serve(ctx context.Context) (err error) {
	if len(p.t.all.clients()) == 0 {
		return nil
	}
	task := "start the server of " + p.t.pt.Measure
	p.t.b.Report.Does("%s", task)
	p.ready, err = p.configure(ctx, p.t.all.first(), true, p.t.b.Timeouts.Server, task)
	return err
}

func (p *probing) prepare(ctx context.Context) error {
	_, err := p.configure(ctx, p.t.all.measuring()[0], false, p.t.b.Timeouts.Client,
		"prepare "+p.t.pt.Measure)
	return err
}

// slowness is how much longer than expected a probe may take: on an emulated DPU, or beside others.
const slowness = 10

func (p *probing) load(ctx context.Context) (err error) {
	expect := p.t.pt.Probe().Expect(p.t.pt.Settings, p.t.pt.Warmup, p.t.pt.Duration)
	p.t.b.Report.Does("measure for about %v", expect.Round(100*time.Millisecond))
	p.got, err = node.Follow[*node.ProbeResult](ctx, p.t.all.measuring()[0].Process,
		slowness*expect+p.t.b.Timeouts.Result,
		fmt.Sprintf("measure %s for about %v", p.t.pt.Measure, expect), func(*node.Progress) {
			if p.ready == nil {
				return
			}
			// If this one fails, so does the next.
			if c, err := p.t.count(ctx, p.t.all.first()); err == nil {
				p.began = c
			}
		})
	return err
}

func (p *probing) collect(_ context.Context, g *gate) (*node.Result, error) {
	o := &p.got.Outcome
	res := &node.Result{Hlog: p.got.Hlog, Point: results.Point{
		Identity: results.Identity{Status: results.StatusOK},
		Reached: results.Reached{
			Transport: o.Transport, Provider: o.Provider, Emulated: o.Emulated,
		},
		Probed: results.Probed{Figures: o.Figures, Facts: o.Facts},
		Counted: results.Counted{
			StartedAt: o.StartedAt, DurationNs: o.Duration.Nanoseconds(),
		},
		Warnings: results.ReadWarnings(o.Warnings...),
	}}
	p.t.pt.Asked(&res.Point)
	if p.ready != nil {
		p.notePair(&res.Point, g)
	}
	return res, p.t.pt.VerifyUsed(&res.Point)
}

// notePair puts in what both ends of a pair used and moved.
func (p *probing) notePair(point *results.Point, g *gate) {
	o, began, after := &p.got.Outcome, g.server[0], g.server[1]
	if p.began != nil {
		began = p.began
	}
	point.Figures["server_cpus"] = float64(after.CPUNs-began.CPUNs) /
		float64(max(after.at.Sub(began.at), 1))
	if wall := o.Duration; wall > 0 {
		point.Figures["client_cpus"] = float64(o.CPUNs) / float64(wall.Nanoseconds())
	}
	point.ClientMovedLoad, point.ServerMovedLoad = results.MovedOf(o.Moved), g.moved()
	point.ServerFacts = p.ready.Facts
}

func (p *probing) failed() *node.Result { return nil }

func (p *probing) complete(point *results.Point) results.Warnings {
	point.ServerCPUs = p.t.all.first().place.CPUs
	for _, c := range p.t.all.clients() {
		point.ClientCPUs = append(point.ClientCPUs, c.place.CPUs...)
		point.Clients = append(point.Clients,
			results.ClientShare{Node: resultNode(c.place.Node), CPUs: c.place.CPUs})
	}
	if p.ready != nil {
		point.ServerVersion, point.ServerAddr = p.t.b.Version, p.ready.Addr
	}
	return nil
}
