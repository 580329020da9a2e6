package results

// The kinds of a [Node].
const (
	KindHost = "host"
	KindDPU  = "dpu"
)

// OpsPerCoreS returns the answered operations for each second of CPU time that the server's side
// used on nodes of a kind. The server's side is the server process, and on a DPU the forwarding
// processes. It returns 0 if that kind used no known CPU time. A worker that polls uses CPU time
// without load, too.
func (p *Point) OpsPerCoreS(kind string) float64 {
	var ns float64 // an operation
	if p.ServerNode.Kind == kind {
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
