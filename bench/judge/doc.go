// Judge tells whether a change has made a path faster or slower. It builds the benchmarks of a base
// and of the tree, starts both, and lets them take turns.
//
//	judge [-base COMMIT]    which rows have moved: "make bench-quick"
//	judge -calibrate        the margins of this machine, from runs of the base against itself
//	judge -self-test        how often it is right: "make bench-judge"
//
//	base.go           which commit is the base, and its files
//	build.go          test binaries with subjects (internal/test/subject)
//	child.go          a process with one subject, told by slices
//	sitting.go        two children that take turns
//	run.go            the sittings of all rows, in random order
//	interval.go       the median of ratios, and its interval
//	calibration.go    margins of rows, kept in the user's cache folder
//	verdict.go        what an interval and a margin say
//	selftest.go       runs of equal builds, and of builds with a slow-down
//	plant.go          slow-downs, and busy processes beside
//
// A row is a figure of a subject: CPU time per operation. Two processes of one subject do slices of
// equal work. In each round the order is random. A round has a ratio, the tree's time over the
// base's. The row's ratio is the median, with the interval of a sign test at 95 %. Rounds in which
// the hypervisor stole time do not count.
//
// Equal builds differ, too: by the pages of their memory, and by the order of their functions. So a
// row has moved only where its whole interval lies outside 1 ± a margin. The margins come from runs
// of the base against a build of it with another order of functions.
package main
