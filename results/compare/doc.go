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
// distribution. The test's p is exact up to 50 values, ties included, and that of the normal
// distribution beyond. No pair of values is made: of 50,000 repeats a side there are 2.5 billion.
//
// With too few repeats, even the most different samples are indistinguishable. Then the verdict is
// [TooFew] and not "no difference". The minimum at 0.05 is four repeats a side for one figure of
// one question. An interval at 95 % takes six ([results.DefaultRepeats]).
//
// The change is that of Hodges and Lehmann: the median of B over A, over all pairs of a value of
// either side. Its interval has the ratios at the ranks that the same test gives.
//
// All rows, each a figure of a question, are tested together, so each p is corrected after Holm.
// The least attainable p of six repeats stands the correction over 23 rows, that of seven over 85.
// A row that needs more repeats for its number of fellows has the verdict [TooFew].
//
// # What to believe
//
// At level α, the probability that any row seems changed is at most α, if none is. So
// [Comparison.Err] stops a script without a reason with at most α. [Options].MinChange leaves out
// differences that are real but too small to matter. Intervals are not corrected.
//
// The samples of two runs are not paired. Repeats with the same number ran close to each other
// within a sweep, but the two sides are two sweeps. A test of six pairs gives p = 0.031 at best,
// which stands a correction over one row only.
//
// Two builds of one sweep are paired: see [Builds]. Each round is a pair, tested by signed ranks.
// One row per figure takes all settings together, since few rounds of many settings tell more
// than those of one.
//
// Repeats within one run share the state of the machines: placement in memory, temperature,
// neighbours. Two runs may differ by more than their repeats show. Of several folders a side,
// measured in turn, each is one value: the median of its repeats ([OfFolders]). With an offset of
// 1 % a run, equal sides of four or six such folders differ in 4 %, and of pooled repeats in 25 to
// 30 %.
package compare
