package results

import "dpukv/kvs"

// The kinds of a [Node].
const (
	KindHost = "host"
	KindDPU  = "dpu"
)

// OpsPerCoreS returns the answered operations for each second of CPU time that the server's side
// used on nodes of a kind. The server's side is the server process or its halves, and on a DPU the
// forwarding processes. It returns 0 if that kind used no known CPU time. A worker that polls uses
// CPU time without load, too.
func (p *Point) OpsPerCoreS(kind string) float64 {
	ns := map[string]float64{
		KindHost: p.ServerHostCPUNsPerOp, KindDPU: p.ServerDPUCPUNsPerOp,
	}[kind]
	if len(p.Parts) == 0 && p.ServerNode.Kind == kind { // of an older build
		ns = p.ServerCPUNsPerOp
	}
	if kind == KindDPU && p.EvidenceNs > 0 && p.ThroughputOps > 0 {
		ns += float64(p.ForwarderCPUNs) / float64(p.EvidenceNs) * 1e9 / p.ThroughputOps
	}
	if ns <= 0 {
		return 0
	}
	return 1e9 / ns
}

// HostCPUNsPerOp is the CPU time per operation of all parts on hosts, the clients' included. It is
// 0 if there is none, and if it is not known: see [Point.KnowsMachines].
func (p *Point) HostCPUNsPerOp() float64 {
	if !p.KnowsMachines() {
		return 0
	}
	return p.ServerHostCPUNsPerOp + p.ClientHostCPUNsPerOp
}

// DPUCPUNsPerOp is the CPU time per operation of all parts on DPUs. It is 0 if there is none, and
// if it is not known.
func (p *Point) DPUCPUNsPerOp() float64 {
	if !p.KnowsMachines() {
		return 0
	}
	return p.ServerDPUCPUNsPerOp + p.ClientDPUCPUNsPerOp
}

// KnowsMachines reports whether the machine of each part is known. That of a server that ran
// already is not, and an older build told none. The applications of several clients have no machine
// as one part, but [Point.Clients] has theirs.
func (p *Point) KnowsMachines() bool {
	for i := range p.Parts {
		part := &p.Parts[i]
		if part.Node == (Node{}) && (part.Part != kvs.PartApplication || len(p.Clients) < 2) {
			return false
		}
	}
	return len(p.Parts) > 0
}

// Split reports whether the server or the client is in halves.
func (p *Point) Split() bool { return p.Lanes != nil || p.ProxyLanes != nil }
