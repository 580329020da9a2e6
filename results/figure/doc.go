// Package figure draws latency over throughput from the points of a run folder.
//
//	runfolder.Run ──Draw──▶ one figure a chart and latency metric, or a figure of the study,
//	                        as SVG, PNG, PDF and CSV
//
// Linear axes begin at zero. Each line is a configuration. Each mark is the median of its repeats,
// with bars for their range. A ring is a line's knee ([results.Line.Knee]). Numbers at the marks
// are the values of the axis, as far as there is room. An arrow stands for a mark beyond the
// latency axis, whose end follows [results.AxisLimit].
//
// A [Study] is one figure with a panel for each GET share and latency metric. Its panels have no
// rings and no numbers.
//
// The conditions of the measurement stand below the plot, with the number of points that have
// warnings or failed. A figure looks the same on every machine, byte by byte.
//
//	options.go, layout.go, style.go   what to draw; how large; lines, glyphs and fonts
//	study.go                          which points a figure of the study has
//	panel.go, plot.go, axis.go        one chart with its axes
//	clip.go, limits.go, annotations.go, legend.go   what is drawn into it, and above it
//	page.go, grid.go, conditions.go   the parts of a figure
//	probe.go, probeplot.go            figures of probes (package probechart)
//	encode.go, pdf.go, csv.go         its files
package figure
