package resultstest

import (
	"fmt"

	"dpukv/kvs"
	"dpukv/results"
)

// SplitPoints are curves of whole and split placements, each with the CPU time of its parts. Two
// placements have a curve beside a neighbour, too.
func SplitPoints() []results.Point {
	threads := []int{1, 2, 4}
	host, dpu := results.Node{Node: "hostB", Kind: "host"}, results.Node{Node: "dpuB", Kind: "dpu"}
	whole := func(n results.Node) func(*results.Point) {
		return func(p *results.Point) {
			p.ServerNode = n
			p.Parts = append(p.Parts, results.Part{
				Part: kvs.PartServer, Node: n, CPUNsPerOp: p.ServerCPUNsPerOp,
			})
		}
	}
	points := split("CH-SH", 4e6, threads, whole(host))
	points = append(points, split("CH-SD", 2e6, threads, whole(dpu))...)
	points = append(points, split("CD-SD", 1e6, threads, onDPU, whole(dpu))...)
	points = append(points, split("CH-ED-SH", 3e6, threads, inHalves(host, dpu))...)
	points = append(points, split("CH-PD-SH", 3e6, threads, proxied, whole(host))...)
	noisy := func(p *results.Point) {
		p.Neighbour, p.NeighbourNode, p.NeighbourCPUs = "cache", host.Node, []int{3}
		p.NeighbourOpsPerS, p.NeighbourCPUShare = 50e6, 1
	}
	slow := func(p *results.Point) {
		p.P99Ns *= 13
		p.P999Ns, p.MaxNs = 20*p.P999Ns, 20*p.MaxNs
	}
	points = append(points, split("CH-SH", 3e6, threads, whole(host), noisy, slow)...)
	return append(points, split("CH-ED-SH", 3e6, threads, inHalves(host, dpu), noisy)...)
}

// split is a curve whose application is on a host, unless an edit moves it.
func split(
	placement string, peak float64, threads []int, edits ...func(*results.Point),
) []results.Point {
	begin := func(p *results.Point) {
		p.Placement = placement
		p.Parts = []results.Part{{
			Part: kvs.PartApplication, Node: results.Node{Node: "hostA", Kind: "host"},
			CPUNsPerOp: p.ClientCPUNsPerOp,
		}}
	}
	end := func(p *results.Point) {
		for _, part := range p.Parts {
			to := &p.ServerHostCPUNsPerOp
			client := part.Part == kvs.PartApplication || part.Part == kvs.PartProxy
			switch onDPU := part.Node.Kind == results.KindDPU; {
			case client && onDPU:
				to = &p.ClientDPUCPUNsPerOp
			case client:
				to = &p.ClientHostCPUNsPerOp
			case onDPU:
				to = &p.ServerDPUCPUNsPerOp
			}
			*to += part.CPUNsPerOp
		}
		p.ID = fmt.Sprintf("%s-%s-%d-%d", p.Placement, p.Neighbour, p.ClientThreads, p.Repeat)
	}
	all := append([]func(*results.Point){begin}, edits...)
	return Curve(peak, threads, 2, append(all, end)...)
}

// onDPU has the application on a DPU.
func onDPU(p *results.Point) { p.Parts[0].Node = results.Node{Node: "dpuA", Kind: "dpu"} }

// inHalves has the engine on the DPU, with half of the server's CPU time and polling.
func inHalves(host, dpu results.Node) func(*results.Point) {
	return func(p *results.Point) {
		p.ServerNode, p.EngineThreads = dpu, p.ServerThreads
		p.Answers, p.Wait = "read", "poll"
		p.Lanes = &results.Lanes{
			Provider: "ibverbs", Answers: "read", Wait: "poll", Ordering: "low to high",
			Lanes: 2, Slots: 32, SlotBytes: 1 << 16, Threads: 2,
		}
		p.Parts = append(p.Parts,
			results.Part{
				Part: kvs.PartEngine, Node: dpu, CPUNsPerOp: p.ServerCPUNsPerOp / 2,
				SpunNsPerOp: 40,
			},
			results.Part{
				Part: kvs.PartStore, Node: host, CPUNsPerOp: p.ServerCPUNsPerOp / 2,
				SpunNsPerOp: 20,
			})
	}
}

// proxied has a proxy on the DPU, which takes 300 ns an operation from the client.
func proxied(p *results.Point) {
	dpu := results.Node{Node: "dpuA", Kind: "dpu"}
	p.Answers, p.Wait = "read", "poll"
	p.ProxyLanes = &results.Lanes{
		Provider: "ibverbs", Answers: "read", Wait: "poll", Ordering: "low to high", Threads: 1,
	}
	p.ClientCPUNsPerOp -= 300
	p.Parts[0].CPUNsPerOp -= 300
	p.Parts = append(p.Parts, results.Part{Part: kvs.PartProxy, Node: dpu, CPUNsPerOp: 500})
}
