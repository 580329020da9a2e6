package results

import (
	"fmt"
	"strings"

	"dpukv/kvs"
)

// The sides of a [Bottleneck].
const (
	SideClient  = "client"
	SideServer  = "server"
	SideBoth    = "both"
	SideNeither = "neither"
	SideUnknown = "unknown"
)

// Bottleneck names the side whose CPUs were full, and the reason. It is an inference from the
// two sides' CPU time, not a measurement: [BusyShare] is the limit.
type Bottleneck struct {
	Side string
	Why  string // one sentence
}

// BusyShare is the share of a side's CPU time above which the side counts as full.
const BusyShare = 0.85

// OthersShare is the share of a side's CPU time above which other programs disturb the side. The
// kernel counts in ticks, 100 to 1000 a second.
const OthersShare = 0.10

// Bottleneck compares the client's CPU time with the server's. It never names a side whose CPU time
// is not meaningful.
func (p *Point) Bottleneck() Bottleneck {
	if p.Status != StatusOK || p.ClientCPUShare == 0 {
		return Bottleneck{SideUnknown, "the CPU time of the two sides is not known"}
	}
	client, server := p.clientSide().and(p.proxySide()), p.serverSide()
	why := client.said + "; " + server.said
	switch {
	case client.full && server.full:
		return Bottleneck{SideBoth, why}
	case client.full:
		return Bottleneck{SideClient, why}
	case server.full:
		return Bottleneck{SideServer, why}
	case client.hidden || server.hidden:
		return Bottleneck{SideUnknown, why}
	}
	why += "; so the limit is the load, the window or the path"
	return Bottleneck{SideNeither, why}
}

// ClientsLimit ends a warning client-bound, unless the server was full, too.
const ClientsLimit = "The result is the client's limit, not the server's: give the client more CPUs"

// SayWhoIsFull corrects the warnings client-bound of a point with both sides full, or with clients
// that have room.
func (p *Point) SayWhoIsFull() {
	b := p.Bottleneck()
	instead := ""
	switch full := p.fullClients(); {
	case b.Side == SideBoth:
		instead = "Both sides are full: " + b.Why + ". To find the limit of one side, give the " +
			"other more CPUs"
	case len(full) > 0 && len(full) < len(p.Clients):
		instead = "Other clients have room: " + b.Why + ". Give the full client more CPUs, or " +
			"less of the load"
	default:
		return
	}
	for i := range p.Warnings {
		w := &p.Warnings[i]
		if busy, found := strings.CutSuffix(w.Text, ClientsLimit); found {
			w.Text = busy + instead
		}
	}
}

// fullClients returns the names of the clients whose CPUs were full.
func (p *Point) fullClients() (names []string) {
	for i := range p.Clients {
		if c := &p.Clients[i]; c.BusyShare > BusyShare {
			names = append(names, c.Node.Node)
		}
	}
	return names
}

// saidOfClients says how busy the clients' CPUs were, and of several which ones were full.
func (p *Point) saidOfClients() string {
	full, most := p.fullClients(), 0.0 // of the others
	said := ""
	for i := range p.Clients {
		switch c := &p.Clients[i]; {
		case c.BusyShare == 0: // nothing is known of each
			full = nil
		case c.BusyShare > BusyShare:
			said += fmt.Sprintf(", %s for %.0f %%", c.Node.Node, 100*c.BusyShare)
		default:
			most = max(most, c.BusyShare)
		}
	}
	switch n := len(p.Clients); {
	case n < 2 || len(full) == 0:
		return fmt.Sprintf("the client's CPUs were busy for %.0f %% of the time",
			100*p.clientBusy())
	case len(full) == n:
		return fmt.Sprintf("the CPUs of all %d clients were full: busy %s of the time", n, said[2:])
	default:
		return fmt.Sprintf("the CPUs of %d of the %d clients were full: busy %s of the time, "+
			"those of the others for at most %.0f %%", len(full), n, said[2:], 100*most)
	}
}

// side is the CPU time of one side, interpreted.
type side struct {
	full   bool
	hidden bool // it says nothing
	said   string
}

func (p *Point) clientSide() side {
	said := p.saidOfClients()
	if p.Compute > 0 {
		said += ", its compute aside"
	}
	s := side{full: p.clientFull(), said: said}
	for i := range p.Clients {
		s.hideProfile(&p.Clients[i].Node)
	}
	s.hideInterrupts(p.clientBusy(), p.ClientInterruptShare)
	s.hideOthers(p.ClientOthersShare + p.ClientStolenShare)
	return s
}

// proxySide is the client's network half, or nothing if the client is whole.
func (p *Point) proxySide() side {
	if p.ProxyLanes == nil {
		return side{}
	}
	proxy := p.PartOf(kvs.PartProxy)
	if proxy.SpunNsPerOp == 0 {
		return side{
			hidden: true, said: "the proxy's threads poll, so their CPU time shows nothing",
		}
	}
	threads := max(p.ProxyLanes.Threads, 1)
	share := (proxy.CPUNsPerOp - proxy.SpunNsPerOp) * p.ThroughputOps / 1e9 / float64(threads)
	s := side{
		full: share > BusyShare,
		said: fmt.Sprintf("the proxy's threads for %.0f %%, without polling", 100*share),
	}
	s.hideMean(share, threads)
	s.hideProfile(&proxy.Node)
	return s
}

// and is the side of two processes, of which one may be full.
func (s side) and(o side) side {
	if o.said != "" {
		s.said += "; " + o.said
	}
	return side{s.full || o.full, s.hidden || o.hidden, s.said}
}

func (p *Point) serverSide() side {
	share, who := p.ServerCPUShare, "the server's threads"
	threads := 0 // whose mean the share is
	if w := p.busiest(); w != nil {
		share, who = w.CPUShare, "the server's worker"
		if n := len(p.ServerWorkers); n > 1 {
			who = fmt.Sprintf("the busiest of the server's %d workers (number %d)", n, w.Worker)
		} else if threads = p.meanOf(w); threads > 0 {
			who = fmt.Sprintf("the server's %d threads, on average,", threads)
		} else if w.Threads > 1 {
			who = fmt.Sprintf("the busiest of the server's %d threads", w.Threads)
		}
		if w.CPUShareBy == "" && threads > 0 {
			share /= float64(threads)
		}
	}
	s := side{full: share > BusyShare, said: fmt.Sprintf("%s for %.0f %%", who, 100*share)}
	s.hideMean(share, threads)
	if p.polls() {
		s = side{
			hidden: true,
			said:   "the server's workers poll, so their CPU time shows nothing",
		}
	}
	s.hideProfile(&p.ServerNode)
	s.hideInterrupts(share, p.ServerInterruptShare)
	s.hideOthers(p.ServerOthersShare + p.ServerStolenShare)
	return s
}

// meanOf returns the number of threads that only the mean share of a worker is known of, or 0. In
// older points the worker has the sum of the threads.
func (p *Point) meanOf(w *ServerWorker) int {
	switch {
	case w.CPUShareBy == ByMeanOfThreads:
		return w.Threads
	case w.CPUShareBy == "" && p.ServerThreads > 1:
		return p.ServerThreads
	}
	return 0
}

// hideMean hides a side whose mean share over its threads allows one of them to be full.
func (s *side) hideMean(share float64, threads int) {
	if !s.full && share*float64(threads) > BusyShare {
		s.hidden = true
		s.said += " (one of them may be full, so this shows nothing)"
	}
}

// hideInterrupts hides a side whose room may be that of interrupts. Kernels differ in whether the
// time of an interrupt is part of the interrupted program's.
func (s *side) hideInterrupts(busy, interrupts float64) {
	if !s.full && busy+interrupts > BusyShare {
		s.hidden = true
		s.said += fmt.Sprintf(" (interrupts used its CPUs for %.0f %% of the time, perhaps on "+
			"top, so this shows nothing)", 100*interrupts)
	}
}

// hideOthers hides a side that seems to have room while other programs used its CPUs.
func (s *side) hideOthers(others float64) {
	if !s.full && others > OthersShare {
		s.hidden = true
		s.said += fmt.Sprintf(" (others used its CPUs for %.0f %% of the time, so this shows "+
			"nothing)",
			100*others)
	}
}

// hideProfile hides a side that seems to have room while a profile limits its CPU time.
func (s *side) hideProfile(n *Node) {
	if !s.full && n.Profile != "" && n.Profile != "none" {
		s.hidden = true
		s.said += fmt.Sprintf(" (the profile %s of %s limits its CPU time, so this shows nothing)",
			n.Profile, n.Node)
	}
}

// polls reports whether the server's workers look for work all the time. Those of a store half do.
func (p *Point) polls() bool {
	return p.Transport == "rdma" || p.Lanes != nil || p.ServerWait == kvs.WaitPoll
}

// clientBusy leaves out the time that the client spun. Older points have that time only in a
// warning.
func (p *Point) clientBusy() float64 {
	if p.ClientBusyShare > 0 {
		return p.ClientBusyShare
	}
	return p.ClientCPUShare
}

func (p *Point) clientFull() bool {
	return p.Warnings.Has(ClientBound) || p.ClientBusyShare > BusyShare || p.fullClients() != nil
}

// busiest is the worker with the most CPU time, or nil if the server told nothing of its workers.
func (p *Point) busiest() *ServerWorker {
	var most *ServerWorker
	for i := range p.ServerWorkers {
		if w := &p.ServerWorkers[i]; most == nil || w.CPUNs > most.CPUNs {
			most = w
		}
	}
	return most
}
