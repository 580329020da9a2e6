package resultstest

import (
	"fmt"
	"math"

	"dpukv/results"
)

// LocalPoint is a valid point of MICA on one machine, with one thread an end. Edits change it as
// those of [Point] do.
func LocalPoint(edits ...func(*results.Point)) results.Point {
	local := func(p *results.Point) {
		p.Placement, p.Submode = "local", "direct"
		p.Window, p.ServerThreads, p.BytesPerFrame, p.PreloadHitRate = 4, 1, 1100, 1
		p.ServerCPUs, p.ClientCPUs, p.ClientBusyShare = []int{0}, []int{1}, 0
	}
	name := func(p *results.Point) {
		if p.ID == "" {
			p.ID = fmt.Sprintf("%s-%s-get%g-st%d-ct%d-rate%g-k%dv%d-r%d", p.Store, p.Placement,
				p.GetRatio*100, p.ServerThreads, p.ClientThreads, p.RateOps, p.KeyBytes,
				p.ValueBytes, p.Repeat)
		}
	}
	all := append([]func(*results.Point){local}, edits...)
	return Point(append(all, name)...)
}

// WithID gives a point an ID.
func WithID(id string) func(*results.Point) { return func(p *results.Point) { p.ID = id } }

// FailedOnly reduces p to the content of a point that failed at once: the request.
func FailedOnly(p *results.Point) *results.Point {
	return &results.Point{
		Identity: results.Identity{
			Schema: p.Schema, ID: p.ID, Status: results.StatusFailed,
			Error: "the server did not start",
		},
		Asked: results.Asked{
			Store: p.Store, Placement: p.Placement, Submode: p.Submode, Load: p.Load,
			ServerThreads: p.ServerThreads, ClientThreads: p.ClientThreads,
			Repeat: p.Repeat,
		},
	}
}

// LocalCurve is a store on one machine. Its throughput nears a peak as client threads are added,
// while its latency grows with the queue. Repeats differ a little.
func LocalCurve(
	placement string, getRatio, peak float64, threads []int, repeats int,
) []results.Point {
	var points []results.Point
	for _, n := range threads {
		for repeat := 1; repeat <= repeats; repeat++ {
			jitter := 1 + 0.02*math.Sin(float64(7*n+3*repeat)+peak)
			ops := peak * (1 - math.Exp(-float64(n)/4)) * jitter
			points = append(points, LocalPoint(func(p *results.Point) {
				p.Placement, p.GetRatio, p.ClientThreads, p.Repeat = placement, getRatio, n, repeat
				p.Submode = "off-path"
				p.ServerThreads, p.ServerCPUs = 4, []int{0, 1, 2, 3}
				p.ClientCPUs = []int{4, 5, 6, 7, 8, 9, 10, 11}
				p.ThroughputOps = math.Round(ops)
				p.Latency = Latency(math.Round(float64(n) * 64 * 4 / ops * 1e9 / jitter))
			}))
		}
	}
	return points
}

// LocalPoints is the sweep of one machine: one placement, three GET shares, and a point that
// failed.
func LocalPoints() []results.Point {
	var points []results.Point
	for _, share := range []float64{1, 0.95, 0.5} {
		for _, p := range LocalCurve("local", share, 2.1e6*(0.7+0.3*share), []int{1, 2, 3, 4}, 3) {
			p.Submode, p.ServerThreads, p.ServerCPUs, p.ClientCPUs = "direct", 1, []int{0}, []int{1}
			if p.ClientThreads == 4 {
				p.Warnings = results.ReadWarnings(
					"the client's CPUs were busy for 99 % of the time: it is the bottleneck")
			}
			points = append(points, p)
		}
	}
	failed := LocalPoint(Failed("the server did not answer within 5s"), func(p *results.Point) {
		p.GetRatio, p.ClientThreads, p.Submode = 0.5, 8, "direct"
	})
	return append(points, failed)
}

// OpenLoopPoints is one configuration under rising offered rates.
func OpenLoopPoints() []results.Point {
	var points []results.Point
	for _, rate := range []float64{1e5, 5e5, 1e6} {
		points = append(points, LocalPoint(func(p *results.Point) {
			p.RateOps, p.ThroughputOps = rate, rate
			p.Latency, p.Actual = Latency(2e4+rate/20), Latency(2e4+rate/25)
			if rate == 1e6 {
				p.ThroughputOps, p.LateOps, p.UnsentOps = 0.91e6, 5000, 445_000
				p.LatencyLowerBoundFrom = 95
				p.ClientLag = results.Lag{P50Ns: 200, P99Ns: 4000, P999Ns: 9000, MaxNs: 50_000}
				p.Warnings = results.ReadWarnings(
					"target rate missed: 910000 of 1000000 operations a second were answered")
			}
		}))
	}
	return points
}
