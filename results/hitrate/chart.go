package hitrate

import (
	"slices"

	"dpukv/results"
	"dpukv/results/probechart"
)

// Charts draw hit rates, for each chart of latency whose GETs may miss.
func Charts(points []results.Point) (list []probechart.Chart) {
	for _, c := range results.Charts(points) {
		list = add(list, &c, probechart.Throughput, throughput)
	}
	limited := slices.DeleteFunc(slices.Clone(points), func(p results.Point) bool {
		return p.MemoryBytes == 0 // room for all keys, or not known
	})
	for _, c := range results.ChartsAlong("memory_bytes", limited) {
		list = add(list, &c, memoryAxis, memory)
	}
	return list
}

var (
	memoryAxis = probechart.Axis{
		Name: "memory_bytes", Title: "memory for items", Quantity: probechart.Size,
		Unit: probechart.Unit{Per: 1}, Log: true,
	}
	rateAxis = probechart.Axis{
		Name: "hit_rate_percent", Title: "hit rate", Quantity: probechart.Share,
		Unit: probechart.Unit{Name: "%", Per: 1},
	}
)

func throughput(m *results.Mark) results.Spread { return m.Throughput() }

func memory(m *results.Mark) results.Spread {
	return results.SpreadBy(m.Repeats, func(p *results.Point) float64 {
		return float64(p.MemoryBytes)
	})
}

func percent(p *results.Point) float64 { return 100 * p.HitRate() }

// add adds the chart of the lines along which the hit rate may differ, if there are any.
func add(
	list []probechart.Chart, of *results.Chart, x probechart.Axis,
	value func(*results.Mark) results.Spread,
) []probechart.Chart {
	lines := probechart.LinesOf(of, 2, func(m *results.Mark) (_, _ results.Spread, has bool) {
		p := m.Repeats[0]
		return value(m), results.SpreadBy(m.Repeats, percent), p.MayMiss() && p.Gets > 0
	})
	if lines == nil {
		return list
	}
	c := probechart.Beside(of, "hit-rate", "hit rate", x, rateAxis)
	if x.Name == memoryAxis.Name {
		c.Stem += "-memory"
	}
	c.Panels = []probechart.Panel{{Lines: lines}}
	return append(list, c)
}
