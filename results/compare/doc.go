// Package compare says which points of one run differ from those of another, by how much, and
// whether that is noise.
//
//	two []results.Point ──Compare──▶ Comparison ──Write──▶ tables in the shape of benchstat's
//	                                     └──json──▶ the same for a script
//
// Points are the same question if they agree in every dimension but those to ignore; their repeats are
// the two samples. The sample's figure is its median with a confidence interval from order statistics, and two samples differ
// if a Mann–Whitney U test says so at the level [Options].Alpha: neither assumes a distribution. Its p is exact
// up to 50 values, equal ones included (which package golang.org/x/perf/benchmath, that does the rest, gets wrong). Where even the most different samples of these sizes could not
// be told apart, the verdict is [TooFew] and not "no difference": four repeats a side are the least at 0.05, six
// give an interval at 95 %.
//
// At level α, a share α of the questions whose answer did not change seem changed all the same, in either direction. With many
// points some will, and [Comparison].ByChance says how many to expect. [Options].MinChange leaves out
// differences that are real but too small to matter.
//
// Repeats within one run share the state of the machines (placement in memory, temperature, neighbours), so that
// two runs may differ by more than their repeats show. Interleaved runs of both sides are better evidence than
// one after the other.
package compare
