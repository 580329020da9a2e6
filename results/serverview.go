package results

import (
	"fmt"
	"strings"
)

// ServerWorker is what one worker of the server did in the measured window, as the server counted it.
type ServerWorker struct {
	Worker int    `json:"worker"`
	Ops    uint64 `json:"ops"`
	Gets   uint64 `json:"gets"`
	Hits   uint64 `json:"hits"`
	// Batches are the request frames (MICA) or passes over the request region (HERD) that had any operation.
	Batches uint64 `json:"batches"`
	Evicted uint64 `json:"evicted"`
	Repeats uint64 `json:"repeats,omitempty"` // requests that came again
	CPUNs   int64  `json:"cpu_ns"`            // of the worker's thread
	// CPUShare is CPUNs over the time between the two looks at the server. A worker that polls is near 1 whatever it does.
	CPUShare float64 `json:"cpu_share"`
}

// OpsPerBatch is how many operations the worker answered at once, 0 if it answered none.
func (w *ServerWorker) OpsPerBatch() float64 {
	if w.Batches == 0 {
		return 0
	}
	return float64(w.Ops) / float64(w.Batches)
}

// The sides of a [Bottleneck].
const (
	SideClient  = "client"
	SideServer  = "server"
	SideBoth    = "both"
	SideNeither = "neither"
	SideUnknown = "unknown"
)

// Bottleneck names the side whose CPUs were full, and what says so. It is an inference from the
// two sides' CPU time, not a measurement: [BusyShare] is the limit.
type Bottleneck struct {
	Side string
	Why  string // one sentence
}

// BusyShare of a side's CPU time, above which the side is taken to be full.
const BusyShare = 0.85

// OthersShare of the time of a side's CPUs, above which those who had it disturb the side. The kernel counts by ticks, of which a
// window of a second has 100 to 1000.
const OthersShare = 0.10

// Bottleneck holds the client's view of the point beside the server's. A side whose CPU time says
// nothing is never named.
func (p *Point) Bottleneck() Bottleneck {
	if p.Status != StatusOK || p.ClientCPUShare == 0 {
		return Bottleneck{SideUnknown, "the CPU time of the two sides is not known"}
	}
	client, server := p.clientSide(), p.serverSide()
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
	return Bottleneck{SideNeither, why + "; so the load, the window or the way between them is the limit"}
}

// side is what one side's CPU time says.
type side struct {
	full   bool
	hidden bool // it says nothing
	said   string
}

func (p *Point) clientSide() side {
	s := side{full: p.clientFull(), said: fmt.Sprintf("the client's CPUs were at work for %.0f %% of the time", 100*p.clientBusy())}
	for i := range p.Clients {
		s.hide(&p.Clients[i].Node)
	}
	s.crowd(p.ClientOthersShare + p.ClientStolenShare)
	return s
}

func (p *Point) serverSide() side {
	share, who := p.ServerCPUShare, "the server's threads"
	if w := p.busiest(); w != nil {
		share, who = w.CPUShare, "the server's worker"
		if n := len(p.ServerWorkers); n > 1 {
			who = fmt.Sprintf("the busiest of the server's %d workers (number %d)", n, w.Worker)
		}
	}
	s := side{full: share > BusyShare, said: fmt.Sprintf("%s for %.0f %%", who, 100*share)}
	if p.polls() {
		s = side{hidden: true, said: "the server's workers poll, so that their CPU time says nothing"}
	}
	s.hide(&p.ServerNode)
	s.crowd(p.ServerOthersShare + p.ServerStolenShare)
	return s
}

// crowd makes a side that seems to have room one that says nothing, where others had its CPUs.
func (s *side) crowd(others float64) {
	if !s.full && others > OthersShare {
		s.hidden = true
		s.said += fmt.Sprintf(" (others had its CPUs for %.0f %%, so that this says nothing)", 100*others)
	}
}

// hide makes a side that seems to have room one that says nothing, where a profile holds its CPU time down.
func (s *side) hide(n *Node) {
	if !s.full && n.Profile != "" && n.Profile != "none" {
		s.hidden = true
		s.said += fmt.Sprintf(" (the profile %s of %s limits its CPU time, so that this says nothing)", n.Profile, n.Node)
	}
}

// polls tells of stores whose workers look for work all the time.
func (p *Point) polls() bool { return p.Transport == "rdma" }

// clientBusy leaves out time that was spun away. Points of before that was counted tell it by a warning alone.
func (p *Point) clientBusy() float64 {
	if p.ClientBusyShare > 0 {
		return p.ClientBusyShare
	}
	return p.ClientCPUShare
}

func (p *Point) clientFull() bool {
	for _, w := range p.Warnings {
		if strings.Contains(w, "client-bound:") {
			return true
		}
	}
	return p.ClientBusyShare > BusyShare
}

// busiest is the worker with the most CPU time, nil if the server's view is not known.
func (p *Point) busiest() *ServerWorker {
	var most *ServerWorker
	for i := range p.ServerWorkers {
		if w := &p.ServerWorkers[i]; most == nil || w.CPUNs > most.CPUNs {
			most = w
		}
	}
	return most
}
