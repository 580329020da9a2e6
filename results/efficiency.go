package results

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
// 0 if it is not known: of a server that ran already, and of an older build.
func (p *Point) HostCPUNsPerOp() float64 {
	if !p.CPUByMachine() {
		return 0
	}
	return p.ServerHostCPUNsPerOp + p.ClientHostCPUNsPerOp
}

// DPUCPUNsPerOp is the CPU time per operation of all parts on DPUs. It is 0 if it is not known.
func (p *Point) DPUCPUNsPerOp() float64 {
	if !p.CPUByMachine() {
		return 0
	}
	return p.ServerDPUCPUNsPerOp + p.ClientDPUCPUNsPerOp
}

// CPUByMachine reports whether the CPU time of all parts is known by the kind of their machine.
func (p *Point) CPUByMachine() bool {
	return p.ServerHostCPUNsPerOp+p.ServerDPUCPUNsPerOp > 0
}

// Split reports whether the server or the client is in halves.
func (p *Point) Split() bool { return p.Lanes != nil || p.ProxyLanes != nil }
