// Package subject serves the benchmarks of a package to a judge (bench/judge). A judge builds the
// test binaries of two commits, and starts both. It tells each in turn to do a slice of work, and
// compares the CPU times of the slices.
//
// A package with subjects has a file subjects_test.go, whose TestSubjects calls [Test]. Without a
// judge, TestSubjects tries each subject with few keys.
//
//	subject.go     what a subject is, and the trial without a judge
//	protocol.go    what judge and child tell each other, and its version
//	serve.go       the child's end
//	plant.go       a slow-down, to see whether a judge finds it
package subject
