// Package compare finds the points of one run that differ from those of another. It reports by how
// much they differ, and whether the difference is noise.
//
//	two []results.Point ──Compare──▶ Comparison ──Write──▶ tables in the shape of benchstat's
//	                                     └──json──▶ the same for a script
//
// # The test
//
// Two points answer the same question if they agree in every dimension but the ignored ones. Their
// repeats are the two samples.
//
// A sample's figure is its median with a confidence interval from order statistics. Two samples
// differ if a Mann–Whitney U test says so at the level [Options].Alpha. Neither assumes a
// distribution. The test's p is exact up to 50 values, ties included. (Package
// golang.org/x/perf/benchmath does the rest; its p is wrong for ties.)
//
// With too few repeats, even the most different samples are indistinguishable. Then the verdict is
// [TooFew] and not "no difference". The minimum at 0.05 is four repeats a side; an interval at 95 %
// takes six.
//
// # What to believe
//
// At level α, a share α of the unchanged questions seem changed, in either direction.
// [Comparison].ByChance is the expected number. [Options].MinChange leaves out differences that are
// real but too small to matter.
//
// Repeats within one run share the state of the machines: placement in memory, temperature,
// neighbours. Two runs may differ by more than their repeats show. Interleaved runs of both sides
// are better evidence than one after the other.
package compare
