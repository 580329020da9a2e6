package results_test

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*results.Point)
		want string // in the error; "": valid
	}{
		"good":              {func(*results.Point) {}, ""},
		"failed, no figure": {func(p *results.Point) { *p = *resultstest.FailedOnly(p) }, ""},
		"schema":            {func(p *results.Point) { p.Schema = 0 }, "schema"},
		"id":                {func(p *results.Point) { p.ID = "a/b" }, "id"},
		"status":            {func(p *results.Point) { p.Status = "fine" }, "status"},
		"failed, no reason": {func(p *results.Point) { p.Status = results.StatusFailed }, "error"},
		"ok with an error":  {func(p *results.Point) { p.Error = "?" }, "error"},
		"share as percent":  {func(p *results.Point) { p.GetRatio = 95 }, "get_ratio"},
		"no batch":          {func(p *results.Point) { p.Batch = 0 }, "batch"},
		"repeat from zero":  {func(p *results.Point) { p.Repeat = 0 }, "repeat"},
		"no ops":            {func(p *results.Point) { p.Ops = 0 }, "ops: found 0"},
		"too many gets":     {func(p *results.Point) { p.Gets = p.Ops + 1 }, "gets: found"},
		"a hit too many":    {func(p *results.Point) { p.Hits++ }, "hits"},
		"a hit too few":     {func(p *results.Point) { p.Hits-- }, "hits"},
		"a get in error":    {func(p *results.Point) { p.Hits--; p.Errors = 1 }, ""},
		"cool-down":         {func(p *results.Point) { p.CoolDownNs = -1 }, "cool_down_ns"},
		"throughput":        {func(p *results.Point) { p.ThroughputOps *= 2 }, "throughput_ops"},
		"percentiles":       {func(p *results.Point) { p.P95Ns = p.P99Ns + 1 }, "ascending"},
		"actual":            {func(p *results.Point) { p.Actual.MaxNs = 0 }, "actual latency"},
		"mean above max":    {func(p *results.Point) { p.MeanNs = float64(p.MaxNs) + 1 }, "mean"},
		"interval":          {func(p *results.Point) { p.LatencyInterval.P95LoNs = 1 }, "latency_interval"},
		"negative cpu":      {func(p *results.Point) { p.ServerCPUNsPerOp = -1 }, "server_cpu_ns_per_op"},
		"idle neighbour": {func(p *results.Point) {
			p.Neighbour, p.NeighbourCPUs, p.NeighbourNode = "cpu", []int{0}, "server"
		}, "neighbour"},
		"neighbour nowhere": {func(p *results.Point) { p.Neighbour, p.NeighbourOpsPerS = "cpu", 1 }, "neighbour"},
		"work of nobody":    {func(p *results.Point) { p.NeighbourOpsPerS = 1 }, "neighbour"},
		"neighbour's share": {func(p *results.Point) { p.NeighbourCPUShare = -1 }, "neighbour_cpu_share"},
		"parts":             {func(p *results.Point) { inHalves(p) }, ""},
		"a part too many": {func(p *results.Point) {
			inHalves(p)
			p.Parts = append(p.Parts, results.Part{Part: "server", CPUNsPerOp: 5})
		}, "parts of the server"},
		"a part too large": {func(p *results.Point) { inHalves(p); p.Parts[0].CPUNsPerOp *= 2 }, "parts of the client"},
		"an unknown part":  {func(p *results.Point) { inHalves(p); p.Parts[1].Part = "moon" }, `found "moon"`},
		"a negative part": {func(p *results.Point) {
			inHalves(p)
			p.Parts[2].SpunNsPerOp = -1
		}, "spun_ns_per_op of engine"},
		"more polling than time": {func(p *results.Point) {
			inHalves(p)
			p.Parts[3].SpunNsPerOp = 2 * p.Parts[3].CPUNsPerOp
		}, "spun_ns_per_op of store"},
		"a host too many": {func(p *results.Point) { inHalves(p); p.ServerHostCPUNsPerOp *= 2 }, "on hosts and DPUs"},
		"no DPU":          {func(p *results.Point) { inHalves(p); p.ClientDPUCPUNsPerOp = 0 }, "on hosts and DPUs"},
		"parts nowhere": {func(p *results.Point) {
			inHalves(p)
			p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp = 0, 0
		}, ""},
		"Little's law":  {func(p *results.Point) { p.InFlightMean = p.LittlesLaw() * 1.1 }, "in_flight_mean"},
		"hash share":    {func(p *results.Point) { p.ClientHashShare = 1.6 }, "client_hash_share"},
		"energy":        {func(p *results.Point) { p.ServerEnergyUJPerOp = 5 }, "energy_by"},
		"empty warning": {func(p *results.Point) { p.Warnings = results.Warnings{{}} }, "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.LocalPoint()
			c.edit(&p)
			must.Fail(t, results.Validate(&p), c.want)
		})
	}
}

// inHalves splits the client and the server of a point, and half of each is on a DPU.
func inHalves(p *results.Point) {
	on := func(node, kind string) results.Node { return results.Node{Node: node, Kind: kind} }
	client, server := p.ClientCPUNsPerOp, p.ServerCPUNsPerOp
	p.Parts = []results.Part{
		{Part: "application", Node: on("hostA", "host"), CPUNsPerOp: client},
		{Part: "proxy", Node: on("dpuA", "dpu"), CPUNsPerOp: 70, SpunNsPerOp: 30},
		{Part: "engine", Node: on("dpuB", "dpu"), CPUNsPerOp: server / 4, SpunNsPerOp: server / 8},
		{Part: "store", Node: on("hostB", "host"), CPUNsPerOp: server / 4 * 3, SpunNsPerOp: server / 8},
	}
	p.ClientHostCPUNsPerOp, p.ClientDPUCPUNsPerOp = client, 70
	p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp = server/4*3, server/4
}
