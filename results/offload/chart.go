package offload

import (
	"slices"
	"strings"

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
	c := probechart.Chart{
		Stem: of.Stem + "-host-cpu", Title: "CPU time of hosts, " + of.Title, Rows: 1,
		X: probechart.Axis{
			Name: "throughput_ops", Title: "throughput", Quantity: probechart.Rate,
			Unit: probechart.Unit{Name: "Mops", Per: 1e6},
		},
		Y: probechart.Axis{
			Name: "host_cpu_ns_per_op", Title: "host CPU time per operation",
			Quantity: probechart.Time, Unit: probechart.Unit{Name: "ns", Per: 1},
		},
		Common: common(of),
		Notes: []string{"CPU time of the server's and the client's parts on hosts, polling " +
			"included"},
		Failed: of.Failed,
	}
	var panel probechart.Panel
	for i := range of.Lines {
		if l := line(&of.Lines[i]); len(l.Marks) > 0 {
			panel.Lines = append(panel.Lines, l)
		}
	}
	c.Panels = []probechart.Panel{panel}
	return c
}

// common names the axes of the lines, and what all points share besides the title.
func common(of *results.Chart) (said []string) {
	points := of.Points()
	rest := results.Without(results.Dimensions(), results.Named("machine", "emulated_testbed",
		"store", "get_ratio", "key_bytes", "value_bytes", "batch"))
	said = append(said, strings.Join(results.Common(rest, points), ", "))
	for i := range of.Lines {
		along := "along a line: " + of.Lines[i].Axis.Title()
		if len(of.Lines[i].Marks) > 1 && !slices.Contains(said, along) {
			said = append(said, along)
		}
	}
	return said
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
