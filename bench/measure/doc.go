// Measure runs the benchmarks beside their yardsticks. It writes a result file, or compares the
// ratios with the files of this machine's processor.
//
//	measure [-repeats N]     a file in bench/results: "make bench"
//	measure -quick           the main ratios, and which have moved: "make bench-quick"
//
//	suite.go          what it runs: packages, benchmarks, the time of each
//	others.go         the CPUs that others and the hypervisor took of each repeat
//	fixed.go          fixed work before and after each repeat
//	compare.go        which ratios have moved
//
// A ratio is a metric whose unit begins with "x-", such as x-floor. Two machines differ in their
// figures, and less in their ratios; two processors differ in both. A ratio has moved if a
// Mann–Whitney test over repeats says so, and its median did by a twentieth. The program reports
// that, and judges nothing.
//
// Disturbed repeats do not count. Either others and the hypervisor had over 0.1 CPUs, or fixed work
// took over 1.15 times the lower quartile of the run. Fixed work is 20 ms of sums in L1, and 40 ms
// of dependent loads from 1 GiB on the stores' kind of pages. A line has the slower of before and
// after. The benchmarks stand still meanwhile (SIGSTOP). A line without fixed work, of an older
// file, is judged by the rest. At the end, benchmarks with fewer than two quiet repeats run once
// more.
//
// The 1.15 lies between quiet repeats and slowed ones. On AMD family 26 model 2, repeats of GETs
// from 10,000 keys, one after the other, differed by up to 1.05 in two result files. A host that
// slowed its guest without steal took 1.19 times as long for loads from memory, and 1.75 times for
// those GETs.
//
// The fastest fixed work of a run is no yardstick. On a guest that nothing else used, it was 256 ns
// per load (of 256 MiB) in five repeats of 211, and the median was 313 ns.
package main
