package verify

import (
	"fmt"
	"math"
	"strings"

	"dpukv/results"
)

// request checks that the points are those of the sweep.
func (f *folder) request() Check {
	if f.Request == nil {
		return Check{Name: "request", Outcome: Unknown, Found: "not checked"}
	}
	faults, err := f.Request(f.Run, f.points)
	if err != nil {
		faults = append(faults, err.Error())
	}
	c := outcome("request", count(len(f.points), "point"), faults)
	if c.Outcome == Wrong && !f.chained && err == nil {
		// Defaults of the sweep file may have been others then.
		c = Check{Name: c.Name, Outcome: Unknown, Found: fmt.Sprintf("%d of %s differ from the "+
			"requests: an older dpukv had other defaults", len(faults), c.Found)}
	}
	return c
}

// schema checks that the points agree with themselves.
func (f *folder) schema() Check {
	var faults []string
	for i := range f.points {
		if err := results.Validate(&f.points[i]); err != nil {
			for line := range strings.Lines(err.Error()) {
				faults = append(faults, strings.TrimSpace(line))
			}
		}
	}
	return outcome("schema", count(len(f.points), "point"), faults)
}

// order checks that no point began before the one above it.
func (f *folder) order() Check {
	var before *results.Point
	return f.each("order", func(p *results.Point) (faults []string) {
		if before != nil && p.StartedAt.Before(before.StartedAt) {
			faults = []string{fmt.Sprintf("started_at: found %v, the point above it began at %v",
				p.StartedAt, before.StartedAt)}
		}
		before = p
		return faults
	})
}

// rounding allows for sums of floating-point numbers in another order.
const rounding = 1e-9

func same(found, want, tolerance float64) bool {
	return math.Abs(found-want) <= tolerance*math.Abs(want)
}

// throughput computes each throughput anew.
func (f *folder) throughput() Check {
	return f.each("throughput", func(p *results.Point) (faults []string) {
		seconds := float64(p.DurationNs) / 1e9
		check := func(of string, found float64, ops uint64) {
			want := float64(ops) / seconds
			if of != "" && (p.Requests > 0 || p.Replays()) {
				want = max(want, found) // the client's own period may be shorter
			}
			if !same(found, want, rounding) {
				faults = append(faults, fmt.Sprintf("throughput_ops%s: found %v, %d operations in "+
					"%v s are %v", of, found, ops, seconds, want))
			}
		}
		check("", p.ThroughputOps, p.Ops)
		for i := range p.Clients {
			c := &p.Clients[i]
			check(" of client "+c.Node.Node, c.ThroughputOps, c.Ops)
		}
		return faults
	})
}

// logs checks the histogram logs against the checksums in the points.
func (f *folder) logs() Check {
	without := 0
	c := f.each("logs", func(p *results.Point) []string {
		if p.HlogBytes == 0 {
			without += unlogged(p)
			return nil
		}
		if _, err := f.Log(p); err != nil {
			return []string{err.Error()}
		}
		return nil
	})
	strays, err := f.StrayLogs(f.points)
	switch {
	case c.Outcome == Wrong:
	case err != nil:
		return outcome(c.Name, c.Found, []string{err.Error()})
	case len(strays) > 0:
		c.Outcome, c.Found = Unknown, "logs of no point, as a killed sweep leaves: "+
			strings.Join(strays, ", ")
	case without > 0:
		c.Outcome, c.Found = Unknown, count(without, "point")+" without a checksum of a log"
	}
	return c
}
