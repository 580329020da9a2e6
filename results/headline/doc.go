// Package headline says in a sentence what a run shows: which placement has the highest throughput,
// by how much, and how sure that is.
//
//	[]results.Point ──Of──▶ Headline ──report──▶ the top of the page
//
// # What is compared
//
// A run with several placements compares placements, with their submodes and datapaths. Any other
// run compares configurations: everything but the workload. Two lines are compared only if they
// agree in all other dimensions. Each set of such lines is a case.
//
// A line's figure is its throughput within the bound ([results.Line.Within]). Without a bound it is
// the throughput at the knee, if each line of the case has a knee. Otherwise it is the peak.
//
// # How sure it is
//
// The best line of a case is tested against each other line, with the test of package compare. It
// is the best only if all these tests say so, so the greatest p counts. The p of the cases are
// corrected together, after Holm. A difference below [MinChange] is none.
//
// The test takes the marks of the figures as given. The choice of the highest mark favours no line
// that has as many marks as the others.
package headline
