// Package probechart sorts probes, the points without a store, into charts and tables.
//
//	[]results.Point ──Charts──▶ []Chart ──▶ package figure, package report
//	                ──Study───▶ one chart in the layout of the study
//	                ──Bandwidths──▶ Table: STREAM's kernels on each node
//	                ──Breakdown──▶ the parts of each store's curve, with what follows from them
//
// A view is one chart of a kind of probe: which setting is along the x axis, which figure along the
// y axis, which setting has panels. Another kind of probe is another view in view.go. Each mark is
// the median of its repeats with their range. A label of a line names what varies among the lines.
//
//	view.go, words.go       the views; settings in words
//	chart.go, line.go       charts of a view: panels, lines, marks
//	unit.go                 units of axes
//	node.go                 what env.jsonl says of the nodes
//	study.go                Figures 3, 4 and 6 of the study
//	table.go, breakdown.go, parts.go   tables
package probechart
