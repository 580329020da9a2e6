// Measure runs the benchmarks beside their yardsticks. It writes a result file, or compares the
// ratios with the files of this machine's processor.
//
//	measure [-repeats N]     a file in bench/results: "make bench"
//	measure -quick           the main ratios, and which have moved: "make bench-quick"
//
//	suite.go          what it runs: packages, benchmarks, the time of each
//	others.go         the CPUs that others and the hypervisor took of each repeat
//	compare.go        which ratios have moved
//
// A ratio is a metric whose unit begins with "x-", such as x-floor. Two machines differ in their
// figures, and less in their ratios; two processors differ in both. A ratio has moved if a
// Mann–Whitney test over repeats says so, and its median did by a twentieth. Repeats that others
// disturbed do not count. The program reports that, and judges nothing.
package main
