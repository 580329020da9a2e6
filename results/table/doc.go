// Package table writes points for a terminal.
//
//	[]results.Point ──Write──▶ a row a configuration, then the warnings and the points that failed
//	*results.Point ──WritePoint──▶ what was asked of one point, what was used, and what came out
//
// Cells are medians over the repeats, with half their range. Below the rows stands everything
// that a reader needs in order not to believe a figure.
package table
