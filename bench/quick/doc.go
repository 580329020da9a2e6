// Quick measures the ratios of the main parts to their yardsticks in three minutes. It says what
// has moved since they were last accepted. "make bench-quick" runs it before a commit.
//
//	quick [-accept]
//
//	suite.go          what it runs: packages, benchmarks, the time of each
//	ratios.go         the ratios of a benchmark's output, and their medians
//	accepted.txt      the accepted ratios, with the machine that they are from
//
// A ratio is a metric whose unit begins with "x-", such as x-floor. Two machines differ in their
// figures, and less in their ratios. A ratio has moved if all of its repeats lie outside the
// accepted range, widened by a twentieth. The program reports that, and judges nothing.
package main
