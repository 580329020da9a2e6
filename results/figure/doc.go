// Package figure draws latency over throughput from the points of a run folder.
//
//	runfolder.Run ──Draw──▶ one figure a chart and latency metric, as SVG, PNG and CSV
//
// Both axes begin at zero. Each line is a configuration, each mark the median of its repeats, with
// bars for their range. A ring is a line's knee ([results.Line.Knee]). Numbers at the marks are the
// values of the axis, as far as there is room.
//
// The conditions of the measurement stand below the plot, with the number of points that have
// warnings or failed. A figure looks the same on every machine, byte by byte.
package figure
