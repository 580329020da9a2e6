package hitrate

import (
	"slices"

	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/probechart"
)

// Charts draw hit rates, for each chart of latency whose GETs may miss.
func Charts(points []results.Point) (list []probechart.Chart) {
	for _, c := range results.Charts(points) {
		list = add(list, &c, probechart.AxisOf(results.Throughput), (*results.Mark).Throughput)
	}
	limited := slices.DeleteFunc(slices.Clone(points), func(p results.Point) bool {
		return p.MemoryBytes == 0 // room for all keys, or not known
	})
	for _, c := range results.ChartsAlong("memory_bytes", limited) {
		list = add(list, &c, memoryAxis, memory)
	}
	return list
}

var memoryAxis = probechart.Axis{
	Name: "memory_bytes", Title: "memory for items", Quantity: probechart.Size,
	Unit: numfmt.Unit{Per: 1}, Log: true,
}

func memory(m *results.Mark) results.Spread {
	return results.SpreadBy(m.Repeats, func(p *results.Point) float64 {
		return float64(p.MemoryBytes)
	})
}

// add adds the chart of the lines along which the hit rate may differ, if there are any.
func add(
	list []probechart.Chart, of *results.Chart, x probechart.Axis,
	value func(*results.Mark) results.Spread,
) []probechart.Chart {
	lines := probechart.LinesOf(of, 2, func(m *results.Mark) (_, _ results.Spread, has bool) {
		return value(m), m.Of(results.HitRate), results.HitRate.Has(m.Repeats[0])
	})
	if lines == nil {
		return list
	}
	c := probechart.Beside(of, "hit-rate", "hit rate", x, probechart.AxisOf(results.HitRate))
	if x.Name == memoryAxis.Name {
		c.Stem += "-memory"
	}
	c.Panels = []probechart.Panel{{Lines: lines}}
	return append(list, c)
}
