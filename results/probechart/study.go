package probechart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpukv/results"
)

// Studies are the figures of the study about probes.
var Studies = []int{3, 4, 6}

// study is one figure of the study: which points it has, and how they become panels.
type study struct {
	view    view
	x       along
	y       figureAxis
	belongs func(*results.Point) bool
	allowed string // the points that belong, in words
	measure string // the key of a sweep that measures the figure
	row     func(*results.Point) string
	column  func(*results.Point) string
	label   func(*drawer, *results.Point) string
	notes   []string
}

// Study makes a chart in the layout of the study: 3, TCP bandwidth over cores; 4, latency of RDMA
// over message size; 6, memory latency over block size.
func Study(
	number int, points []results.Point, nodes Nodes, metric *results.Metric,
) (*Chart, error) {
	var s study
	switch number {
	case 3:
		s = bandwidthStudy(nodes)
	case 4:
		s = verbsStudy(nodes, metric)
	case 6:
		s = memoryStudy(nodes)
	default:
		return nil, fmt.Errorf("figure: found %d, allowed: 3, 4, 6", number)
	}
	c, err := s.chart(points)
	if err != nil {
		return nil, fmt.Errorf("figure %d: %w", number, err)
	}
	c.Stem = "fig" + strconv.Itoa(number)
	return c, nil
}

// bandwidthStudy is Figure 3: a panel for each generation, a line for each submode.
func bandwidthStudy(nodes Nodes) study {
	v := viewOf("network-bandwidth")
	return study{
		view: v, x: v.along[0], y: v.y[0],
		belongs: func(p *results.Point) bool {
			return p.Placement == "CH-SH" && p.Settings["direction"] != "down"
		},
		allowed: "TCP bandwidth of the placement CH-SH, from client to server",
		measure: "[{network: {test: [stream], cores: [1, 2, 3, 4, 5, 6], direction: [up]}}]",
		row:     func(*results.Point) string { return "" },
		column:  func(p *results.Point) string { return dpuTitle(nodes, p) },
		label:   (*drawer).label,
		notes: []string{
			"TCP of the kernel; the study's userspace stack sends packets without TCP",
		},
	}
}

// verbsStudy is Figure 4: a row for each verb, and panels for small and large messages.
func verbsStudy(nodes Nodes, metric *results.Metric) study {
	y := latencies([]*results.Metric{metric}, true)[0]
	return study{
		view: view{
			title: "RDMA: " + y.title + " of verbs", measure: "verbs", tests: []string{"latency"},
		},
		x: messages, y: y,
		belongs: func(*results.Point) bool { return true },
		allowed: "latency of RDMA verbs",
		measure: "[{verbs: {test: [latency], op: [send, read, write], bytes: [2, 64, 1024, 4096, " +
			"65536, 1048576, 8388608]}}]",
		row: func(p *results.Point) string { return p.Settings["op"] },
		column: func(p *results.Point) string {
			return strings.TrimSpace(dpuTitle(nodes, p) + " " + sizeClass(p))
		},
		label: (*drawer).label,
	}
}

// largeBytes is the least size of a large message in the study.
const largeBytes = 8 << 10

// sizeClass says on which side of the study's limit a message is. Small sorts before large.
func sizeClass(p *results.Point) string {
	if n, err := strconv.Atoi(p.Settings["bytes"]); err == nil && n >= largeBytes {
		return "from 8 KiB"
	}
	return "below 8 KiB"
}

// memoryStudy is Figure 6 (b): a line for each node, with huge pages and without.
func memoryStudy(nodes Nodes) study {
	return study{
		view: view{
			title: "memory: latency beyond the L1 cache", measure: "memory",
			tests: []string{"latency"},
		},
		x: blocks, y: figureAxis{name: "beyond_l1_ns", title: "latency beyond L1", quantity: Time},
		belongs: func(p *results.Point) bool { return p.Settings["chains"] != "2" },
		allowed: "memory latency with one chain and the figure beyond_l1_ns",
		measure: "[{memory: {test: [latency], pages: [4k, thp], block_bytes: [65536, 1048576, " +
			"2097152, 4194304, 67108864]}}]",
		row:    func(*results.Point) string { return "" },
		column: func(*results.Point) string { return "" },
		label: func(d *drawer, p *results.Point) string {
			words := []string{p.Placement}
			if g := nodes.ofNode(p); g != "" {
				words = append(words, generationTitle(g))
			}
			if where := d.where(p, results.Named("placement")...); where != "" {
				words = append(words, where)
			}
			return strings.Join(words, " ") + pagesTitle(p.Settings["pages"])
		},
		notes: []string{
			"h: huge pages; no h: pages of 4 KiB",
			"as in the study, the time of a run without accesses is subtracted: " +
				"memory-latency has the absolute latency",
		},
	}
}

func pagesTitle(pages string) string {
	switch pages {
	case "":
		return ""
	case "4k":
		return " (no h)"
	case "huge":
		return " (h, hugetlb)"
	}
	return " (h)"
}

func dpuTitle(nodes Nodes, p *results.Point) string {
	return generationTitle(nodes.generation(p))
}

// chart makes the figure. A panel without points has no lines.
func (s *study) chart(points []results.Point) (*Chart, error) {
	ok, failed := s.view.split(points, s.y.name)
	ok = slices.DeleteFunc(ok, func(p *results.Point) bool { return !s.belongs(p) })
	if len(ok) == 0 {
		return nil, fmt.Errorf("probes: found no %s, allowed: one or more; to measure it, a sweep "+
			"with measure: %s", s.allowed, s.measure)
	}
	c := &Chart{Title: s.view.title, Notes: s.notes, Failed: failed}
	c.setAxes(&s.x, &s.y)
	rows, columns := s.cells(ok)
	d := s.drawer(ok, columns)
	for _, row := range rows {
		for _, column := range columns {
			own := slices.DeleteFunc(slices.Clone(ok), func(p *results.Point) bool {
				return s.row(p) != row || s.column(p) != column
			})
			label := func(p *results.Point) string { return s.label(d, p) }
			c.Panels = append(c.Panels, Panel{
				Heading: heading(row, column), Lines: d.lines(own, label),
			})
		}
	}
	c.Rows = len(rows)
	c.Common = d.common(ok[0])
	c.finish()
	return c, nil
}

// cells are the rows and the columns of the panels.
func (s *study) cells(points []*results.Point) (rows, columns []string) {
	for _, p := range points {
		rows, columns = append(rows, s.row(p)), append(columns, s.column(p))
	}
	slices.SortFunc(rows, compareValues)
	slices.Sort(columns)
	return slices.Compact(rows), slices.Compact(columns)
}

// drawer says in labels what varies within a column. Machines of several generations do not.
func (s *study) drawer(points []*results.Point, columns []string) *drawer {
	all := newDrawer(points, &s.x, &s.y, "")
	var varying []*results.Dimension
	all.runs = false
	for _, column := range columns {
		own := slices.DeleteFunc(slices.Clone(points), func(p *results.Point) bool {
			return s.column(p) != column
		})
		varying = append(varying, results.Varying(placeDimensions(), own)...)
		all.runs = all.runs || severalRuns(own)
	}
	all.dims = slices.DeleteFunc(placeDimensions(), func(d *results.Dimension) bool {
		return !slices.Contains(varying, d)
	})
	all.said = slices.DeleteFunc(all.said, func(name string) bool { return name == "op" })
	return all
}

func heading(row, column string) string {
	return strings.Trim(settingWords("op", row)+", "+column, ", ")
}
