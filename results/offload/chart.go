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
	c := probechart.Beside(of, "host-cpu", "CPU time of hosts", probechart.Throughput,
		probechart.Axis{
			Name: "host_cpu_ns_per_op", Title: "host CPU time per operation",
			Quantity: probechart.Time, Unit: probechart.Unit{Name: "ns", Per: 1},
		})
	c.Notes = []string{"CPU time of the server's and the client's parts on hosts, polling " +
		"included"}
	var panel probechart.Panel
	for i := range of.Lines {
		if l := line(&of.Lines[i]); len(l.Marks) > 0 {
			panel.Lines = append(panel.Lines, l)
		}
	}
	c.Panels = []probechart.Panel{panel}
	return c
}

// line leaves out marks whose CPU time is not known by machine.
func line(of *results.Line) probechart.Line {
	l := probechart.Line{Label: of.Label, Style: of.Style}
	for i := range of.Marks {
		m := &of.Marks[i]
		y := results.SpreadBy(m.Repeats, (*results.Point).HostCPUNsPerOp)
		if !slices.ContainsFunc(m.Repeats, unknown) {
			l.Marks = append(l.Marks, probechart.Mark{
				X: m.Throughput(), Y: y, Repeats: m.Repeats,
			})
		}
	}
	return l
}
