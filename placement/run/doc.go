// Package run measures the points of a sweep on a testbed.
//
// [NewPlan] reads the files. Before anything starts, it refuses configurations that cannot be
// measured, with their place in the file. [Plan.Run] measures the points that the run folder lacks.
// So a second call continues an interrupted sweep. [DryRun] only prints what [Plan.Run] would do.
//
// Package trial measures a point. This one decides which is the next, and keeps the folder.
//
// # What can go wrong
//
//	a point fails             it is recorded as failed, with the reason; the sweep goes on, and the
//	                          error at the end counts the failures
//	a connection or machine   the same, within seconds, with the node's name
//	is lost
//	the datapath of a DPU     the same; the reason begins with the DPU's node and what is missing of
//	breaks                    its datapath
//	a process dies            the same; the reason begins with whose it was, and says whether the
//	                          kernel killed it for want of memory
//	a node does not start     points that need the node are left out; the others are measured
//	three times in a row
//	Ctrl-C, SIGTERM           the current point is dropped, the ones before are in the folder, and
//	                          the error has the command that continues
//	the folder takes no more  the same
package run
