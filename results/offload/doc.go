// Package offload compares placements by the CPU time that they cost a host, which is what a DPU is
// to save.
//
//	[]results.Point ──Of──▶ Report: charts of host CPU time over throughput, and tables
//
// A line of points is compared with the line of a whole server and whole clients on hosts: the
// base. The two have the same request, apart from what only halves have. Each line counts at its
// peak.
//
// A point beside a neighbour (package placement/neighbour) is compared with the point at the same
// load without one. Such a pair has one placement.
//
// Points of older builds, and of servers that ran already, do not tell the machines of their parts.
// They are left out.
//
//	offload.go     what a run has, and the table of placements
//	parts.go       the table of the parts that an operation passes
//	neighbour.go   the table of neighbours
//	chart.go       the charts
package offload
