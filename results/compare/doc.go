// Package compare says which points of one run differ from those of another, by how much, and
// whether that is noise.
//
//	two []results.Point ──Compare──▶ Comparison ──Write──▶ tables in the shape of benchstat's
//	                                     └──json──▶ the same for a script
//
// # The test
//
// Two points are the same question if they agree in every dimension but those to ignore. Their
// repeats are the two samples.
//
// A sample's figure is its median with a confidence interval from order statistics. Two samples
// differ if a Mann–Whitney U test says so at the level [Options].Alpha. Neither assumes a
// distribution. The test's p is exact up to 50 values, equal ones included. (Package
// golang.org/x/perf/benchmath, which does the rest, is wrong about equal values.)
//
// With too few repeats not even the most different samples can be told apart. Then the verdict is
// [TooFew] and not "no difference". At 0.05, four repeats a side are the least; an interval at 95 %
// takes six.
//
// # What to believe
//
// At level α, a share α of the unchanged questions seem changed, in either direction.
// [Comparison].ByChance says how many to expect. [Options].MinChange leaves out differences that
// are real but too small to matter.
//
// Repeats within one run share the state of the machines: placement in memory, temperature,
// neighbours. Two runs may differ by more than their repeats show. Interleaved runs of both sides
// are better evidence than one after the other.
package compare
