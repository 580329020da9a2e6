// Package estimate predicts how long a sweep takes.
//
// The time of a point is its load, which the sweep file says, and an overhead: processes start, a
// datapath is set up, keys are stored and asked for. The overhead has a prior, from the placement
// and the transport. The prior is for a quiet machine.
//
// Measured points correct the prior. The overhead of a point is its prior, multiplied by the ratio
// of measured to prior overheads over the points that are most like it:
//
//	the same placement, datapath, keys and threads
//	the same store, placement and datapath
//	the same store
//	any
package estimate
