package results_test

import (
	"strings"
	"testing"

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
		"hash share":        {func(p *results.Point) { p.ClientHashShare = 1.6 }, "client_hash_share"},
		"energy":            {func(p *results.Point) { p.ServerEnergyUJPerOp = 5 }, "energy_by"},
		"empty warning":     {func(p *results.Point) { p.Warnings = []string{""} }, "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			p := resultstest.LocalPoint()
			c.edit(&p)
			err := results.Validate(&p)
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
