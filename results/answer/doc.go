// Package answer says in a sentence what a run shows: which placement has the highest throughput,
// by how much, and how sure that is.
//
//	[]results.Point ──Of──▶ Answer ──report──▶ the top of the page
//
// # What is compared
//
// A run with several placements compares placements, with their submodes and datapaths. Any other
// run compares configurations: everything but the workload. Two lines are compared only if they
// agree in all other dimensions. Each set of such lines is a case.
//
// A line's figure is its throughput within the bound ([results.Line.Within]). Without a bound it is
// the throughput at the knee, if each line of the case has a knee. Otherwise it is the peak, of
// repeats that did not choose it ([results.Line.HeldOutPeak]). At an offered rate it is the
// latency, of lines that reached the rate. A yardstick has all that differs between the two.
//
// # How sure it is
//
// Repeats of one number are a round: they ran after each other, and have the state of the machines
// in common. So the best line of a case is tested against each other line by pairs
// ([compare.SignedRank]). Where the repeats are of several runs, or the rounds too few for the
// number of cases, the test is that of package compare. A line is the best only if all these tests
// say so, so the greatest p counts. The p of the cases are corrected together, after Holm. A
// difference below [MinChange] is none.
//
// Few repeats can be too few for any test. A text then still says the size, and never "no
// difference". Two answers stand without a verdict in each case: lines that are far apart
// ([compare.FarApart]), and one test over the rounds of all cases that the same line leads.
package answer
