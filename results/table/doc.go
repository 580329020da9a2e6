// Package table writes points for a terminal.
//
//	[]results.Point ──Write──▶ a row a configuration, then the warnings and the points that failed
//	*results.Point ──WritePoint──▶ what was asked of one point, what was used, and what came out
//
// Cells are medians over the repeats, with half their range. Below the rows stand all warnings that
// limit the trust in a figure.
package table
