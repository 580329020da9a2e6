package results

import "math"

// saturating is a store whose throughput approaches peak as client threads are added, while its
// latency grows with the queue; the repeats differ a little.
func saturating(placement string, getRatio, peak float64, threads []int, repeats int) []Point {
	var points []Point
	for _, n := range threads {
		for repeat := 1; repeat <= repeats; repeat++ {
			jitter := 1 + 0.02*math.Sin(float64(7*n+3*repeat)+peak)
			ops := peak * (1 - math.Exp(-float64(n)/4)) * jitter
			points = append(points, testPoint(func(p *Point) {
				p.Placement, p.GetRatio, p.ClientThreads, p.Repeat = placement, getRatio, n, repeat
				p.Submode = "off-path"
				p.ServerThreads, p.ServerCPUs, p.ClientCPUs = 4, []int{0, 1, 2, 3}, []int{4, 5, 6, 7, 8, 9, 10, 11}
				p.ThroughputOps = math.Round(ops)
				p.Latency = testLatency(math.Round(float64(n) * 64 * 4 / ops * 1e9 / jitter))
			}))
		}
	}
	return points
}

// localPoints is the sweep of one machine: one placement, three GET shares.
func localPoints() []Point {
	var points []Point
	for _, share := range []float64{1, 0.95, 0.5} {
		for _, p := range saturating("local", share, 2.1e6*(0.7+0.3*share), []int{1, 2, 3, 4}, 3) {
			p.Submode, p.ServerThreads, p.ServerCPUs, p.ClientCPUs = "direct", 1, []int{0}, []int{1}
			if p.ClientThreads == 4 {
				p.Warnings = append(p.Warnings, "the client's CPUs were busy for 99 % of the time: it is the bottleneck")
			}
			points = append(points, p)
		}
	}
	points = append(points, testPoint(failed("the server did not answer within 5s"), func(p *Point) {
		p.GetRatio, p.ClientThreads, p.Submode = 0.5, 8, "direct"
	}))
	return points
}
