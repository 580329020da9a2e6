// Measure runs the benchmarks beside their yardsticks, and writes a result file: "make bench".
//
//	measure [-repeats N] [-parts EXPRESSION]
//
// A ratio is a metric whose unit begins with "x-", such as x-floor. Two machines differ in their
// figures, and less in their ratios; two processors differ in both. So a file describes a processor.
// It judges no change: the machine itself moves a ratio of two parts by several percent between
// runs. Package judge compares builds.
//
// Each line of a repeat has the CPUs that others used meanwhile, and that a hypervisor withheld.
// With over 0.1 of them, the repeat counts for no table.
package main
