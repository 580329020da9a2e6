package results

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*Point)
		want string // in the error; "": valid
	}{
		"good":              {func(*Point) {}, ""},
		"failed, no figure": {func(p *Point) { *p = *failedOnly(p) }, ""},
		"schema":            {func(p *Point) { p.Schema = 0 }, "schema"},
		"id":                {func(p *Point) { p.ID = "a/b" }, "id"},
		"status":            {func(p *Point) { p.Status = "fine" }, "status"},
		"failed, no reason": {func(p *Point) { p.Status = StatusFailed }, "error"},
		"ok with an error":  {func(p *Point) { p.Error = "?" }, "error"},
		"share as percent":  {func(p *Point) { p.GetRatio = 95 }, "get_ratio"},
		"no batch":          {func(p *Point) { p.Batch = 0 }, "batch"},
		"repeat from zero":  {func(p *Point) { p.Repeat = 0 }, "repeat"},
		"no ops":            {func(p *Point) { p.Ops = 0 }, "no ops"},
		"too many gets":     {func(p *Point) { p.Gets = p.Ops + 1 }, "gets of"},
		"a hit too many":    {func(p *Point) { p.Hits++ }, "hits"},
		"a hit too few":     {func(p *Point) { p.Hits-- }, "hits"},
		"a get in error":    {func(p *Point) { p.Hits--; p.Errors = 1 }, ""},
		"throughput":        {func(p *Point) { p.ThroughputOps *= 2 }, "throughput_ops"},
		"percentiles":       {func(p *Point) { p.P95Ns = p.P99Ns + 1 }, "ascending"},
		"actual":            {func(p *Point) { p.Actual.MaxNs = 0 }, "actual latency"},
		"mean above max":    {func(p *Point) { p.MeanNs = float64(p.MaxNs) + 1 }, "mean"},
		"negative cpu":      {func(p *Point) { p.ServerCPUNsPerOp = -1 }, "server_cpu_ns_per_op"},
		"hash share":        {func(p *Point) { p.ClientHashShare = 1.6 }, "client_hash_share"},
		"empty warning":     {func(p *Point) { p.Warnings = []string{""} }, "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPoint()
			c.edit(&p)
			err := Validate(&p)
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// failedOnly is what a point that failed at once holds: what was asked.
func failedOnly(p *Point) *Point {
	return &Point{
		Schema: p.Schema, ID: p.ID, Status: StatusFailed, Error: "the server did not start",
		Store: p.Store, Placement: p.Placement, Submode: p.Submode, Load: p.Load,
		ServerThreads: p.ServerThreads, ClientThreads: p.ClientThreads, Repeat: p.Repeat,
	}
}
