package offload

import (
	"slices"

	"dpukv/results"
	"dpukv/results/probechart"
)

// charts draw the CPU time of hosts over throughput, for each chart of latency that has points on a
// DPU. Lines have the labels and styles that they have there.
func charts(points []results.Point) (list []probechart.Chart) {
	all := results.Charts(points)
	for i := range all {
		if slices.ContainsFunc(all[i].Points(), onDPU) {
			list = append(list, chart(&all[i]))
		}
	}
	return list
}

func chart(of *results.Chart) probechart.Chart {
	c := probechart.Beside(of, "host-cpu", "CPU time of hosts",
		probechart.AxisOf(results.Throughput), probechart.AxisOf(results.HostCPU))
	c.Notes = []string{"CPU time of the server's and the client's parts on hosts, polling " +
		"included"}
	// Marks whose CPU time is not known by machine are left out.
	lines := probechart.LinesOf(of, 1, func(m *results.Mark) (_, _ results.Spread, has bool) {
		return m.Throughput(), m.Of(results.HostCPU), m.Tells(results.HostCPU)
	})
	c.Panels = []probechart.Panel{{Lines: lines}}
	return c
}
