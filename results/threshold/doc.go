// Package threshold decides limits of figures for scripts: kept, broken, or not decided.
//
//	"p99 > 300us" ──Parse──▶ Threshold ─┐
//	[]results.Point ────────────────────┴──Judge──▶ []Outcome ──Err──▶ exit status
//
// # What counts
//
// Each configuration counts, and the worst one decides. With a bound, each line counts once: at the
// load with the most throughput within the bound ([results.Line.Within]). With a rate, only the
// points at that rate count.
//
// # When it is decided
//
// A repeat breaks a limit, keeps it, or tells neither: it was disturbed, its figure is a lower
// bound, or the interval of its percentile has no upper end. A configuration is decided if all
// repeats agree, or so many that a sign test at [results.Confidence] is sure of the median. That
// takes six. Repeats that tell neither count against both. A point that failed decides nothing,
// unless its own errors break the limit.
package threshold
