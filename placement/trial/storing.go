package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dpukv/client"
	"dpukv/internal/cpu"
	"dpukv/kvs/stores"
	"dpukv/placement/node"
	"dpukv/placement/process"
	"dpukv/placement/submode"
	"dpukv/results"
)

// storing drives the processes of a store and its load. A server or a client in halves is the same
// with more processes.
type storing struct {
	t      *trial
	ready  map[process.Role]*node.Ready // the messages of what serves, once it accepted load
	shares []share
	told   time.Time        // when the clients were told to begin
	warned results.Warnings // about the neighbour's CPUs
}

// server is the message of what clients connect to.
func (s *storing) server() *node.Ready { return s.ready[s.t.all.first().place.Role] }

func (s *storing) serves(role process.Role) string {
	switch role {
	case process.Server:
		return "serve " + s.t.pt.Store
	case process.Engine:
		return "serve as the engine of " + s.t.pt.Store
	}
	return "serve as the " + string(role)
}

func (s *storing) serve(ctx context.Context) error {
	for _, m := range s.t.all.serving() {
		role := m.place.Role
		task, err := s.taskOf(role)
		if err != nil {
			return err
		}
		start := fmt.Sprintf("start the %s of %s", role, s.t.pt.Store)
		if role == process.Server {
			start = "start the " + s.t.pt.Store + " server"
		}
		s.t.b.Report.Does("%s", start)
		task.CPUs = m.place.CPUs
		m.Send(task)
		s.ready[role], err = node.Follow[*node.Ready](ctx, m.Process, s.t.b.Timeouts.Server, start,
			func(*node.Progress) {})
		if err != nil {
			return err
		}
	}
	s.warned = s.placeNeighbour()
	return nil
}

// prepare has one client store the keys. Then the others look for them. No load begins before all
// have found them.
func (s *storing) prepare(ctx context.Context) error {
	clients := s.t.all.clients()
	if err := s.instruct(ctx, clients, 0); err != nil {
		return err
	}
	return each(ctx, clients[1:], func(ctx context.Context, i int) error {
		return s.instruct(ctx, clients, i+1)
	})
}

// instruct gives a client its task. It waits until the client has stored the keys, or found the
// keys of another client.
func (s *storing) instruct(ctx context.Context, clients []*member, i int) error {
	spec, err := s.clientSpec(clients, i)
	if err != nil {
		return err
	}
	c := clients[i]
	c.Send(&node.Configure{CPUs: c.place.CPUs, Client: spec})
	task := fmt.Sprintf("preload %d keys", s.t.pt.Keys)
	if spec.Preloaded {
		task = fmt.Sprintf("find %d keys", s.t.pt.Keys)
	}
	_, err = node.Follow[*node.Ready](ctx, c.Process, s.t.b.Timeouts.Client, task,
		s.t.b.Report.Of(c.Process.Node))
	return err
}

// requestsTimeout bounds a measurement of a number of requests, whose length nobody knows. A client
// ends itself if answers stay away.
const requestsTimeout = 24 * time.Hour

// load follows the clients until each has measured and its load is over. Of several, no load ends
// before all have measured.
func (s *storing) load(ctx context.Context) error {
	s.told = time.Now()
	clients := s.t.all.clients()
	for _, c := range clients {
		s.shares = append(s.shares, share{member: c, began: s.told})
	}
	load := s.t.pt.Warmup + s.t.pt.Duration
	timeout, task := load+s.t.b.Timeouts.Result, fmt.Sprintf("measure for %v", load)
	if s.t.pt.Replays() && s.t.pt.Duration == 0 {
		timeout, task = requestsTimeout, "replay the trace "+s.t.pt.Trace
	}
	if s.t.pt.Requests > 0 {
		timeout, task = requestsTimeout, fmt.Sprintf("measure %d requests", s.t.pt.Requests)
	}
	if len(clients) > 1 {
		err := each(ctx, clients, func(ctx context.Context, i int) error {
			return followTo[*node.PeriodOver](ctx, s, i, timeout, task)
		})
		if err != nil {
			return err
		}
		for _, c := range clients {
			c.Send(&node.EndLoad{})
		}
		timeout, task = s.t.b.Timeouts.Result, "end its load"
	}
	return each(ctx, clients, func(ctx context.Context, i int) error {
		return followTo[*node.Measured](ctx, s, i, timeout, task)
	})
}

// followTo follows a client up to a message. A client that fails has a result at once.
func followTo[M node.Message](
	ctx context.Context, of *storing, i int, timeout time.Duration, task string,
) error {
	s := &of.shares[i]
	live := of.t.b.Report.Of(s.Process.Node)
	_, err := node.Follow[M](ctx, s.Process, timeout, task, func(p *node.Progress) {
		if !s.begun && p.Phase == string(client.PhaseMeasure) {
			s.began, s.begun = time.Now(), true
		}
		live(p)
	})
	var failed *node.FailedPoint
	if errors.As(err, &failed) {
		s.res = failed.Res
	}
	return err
}

// collect takes the clients' results, compares the used values with the requested ones, and makes
// one point of them.
func (s *storing) collect(ctx context.Context, g *gate) (*node.Result, error) {
	err := each(ctx, s.t.all.clients(), func(ctx context.Context, i int) error {
		if err := s.shares[i].collect(ctx, s.t.b.Timeouts.Result); err != nil {
			return err
		}
		used := &s.shares[i].res.Point
		if err := verifyHalves(s.t.pt.Placement, s.t.nodes, used); err != nil {
			return err
		}
		return s.t.pt.OfOneClient(len(s.shares)).VerifyUsed(used)
	})
	if err != nil {
		return nil, err
	}
	for i := range s.shares {
		if id := s.shares[i].res.Trace; id != nil {
			s.t.b.Traces[traceOf(&s.t.nodes.Clients[i], s.t.pt)] = id
		}
	}
	res, err := merge(s.shares, s.told, s.t.pt)
	if err == nil {
		for i := range s.shares {
			res.Lost = max(res.Lost, s.shares[i].res.Lost)
		}
		noteMoved(&res.Point, g.moved())
		noteBusiest(&res.Point, g.server[0].Threads, g.server[1].Threads)
	}
	return res, err
}

// noteMoved puts the server's traffic under load into a point.
func noteMoved(p *results.Point, m results.Moved) {
	if p.ReconnectEvery > 0 {
		return // the kernel forgets the counts of closed connections
	}
	p.ServerMovedLoad = m
	if warning := m.Sockets.ResentWarning("server", "in the load"); warning.Text != "" {
		p.Warnings = append(p.Warnings, warning)
	}
}

// noteBusiest puts the server's busiest thread under load into a point.
func noteBusiest(p *results.Point, before, after []cpu.Thread) {
	most, all := cpu.BusiestOf(before, after)
	for i := range p.ServerWorkers {
		if w := &p.ServerWorkers[i]; all > 0 && w.CPUShareBy == results.ByMeanOfThreads {
			// The load is longer than the measurement period. So only the busiest thread's part of
			// the process is taken from there.
			w.CPUShare *= float64(w.Threads) * float64(most) / float64(all)
			w.CPUShareBy = results.ByBusiestInLoad
		}
	}
	p.SayWhoIsFull() // the clients did not see the busiest thread
}

func (s *storing) failed() *node.Result {
	for _, sh := range s.shares {
		if sh.res != nil && sh.res.Point.Status != results.StatusOK {
			return sh.res
		}
	}
	return nil
}

func (s *storing) complete(p *results.Point) results.Warnings {
	s.t.pt.Asked(p)
	server := s.server()
	p.ServerVersion, p.ServerAddr = server.Facts.Version, server.Addr
	p.ServerCommand = server.Facts.Command
	s.noteParts(p)
	warnings := append(s.warned, laneWarnings(p)...)
	if s.t.pt.Attach != "" {
		p.Attached = true
		warnings = append(warnings, results.Attached.Warn("the server at %s ran already: how it "+
			"was started, and what else it does, is not known here", s.t.pt.Attach))
		warnings = append(warnings, results.ReadWarnings(s.t.b.Found)...)
	}
	if device, err := s.t.nodes.Device(&s.t.nodes.Server); err == nil {
		warnings = append(warnings, rdmaWarnings(s.t.pt.Submode, stores.OverVerbs(s.t.pt.Store),
			device)...)
	}
	return warnings
}

// rdmaWarnings returns what is only inferred of a point over an RDMA NIC. No document and no
// measurement says that flows of OVS-DPDK carry RoCE in the eSwitch as those of SM4 do.
func rdmaWarnings(name string, overVerbs bool, device string) results.Warnings {
	if name != submode.SM5 || !overVerbs || strings.HasPrefix(device, "softroce") {
		return nil
	}
	return results.Warnings{results.Unproven.Warn("that %s forwards the packets of an RDMA NIC "+
		"in the eSwitch, as %s does, is inferred and not shown here", submode.SM5, submode.SM4)}
}
