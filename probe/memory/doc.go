// Package memory is the kind of probes that measures a machine's memory.
//
//	test      what it measures
//	latency   a load that depends on the one before: a chain through all lines of a block, in an
//	          order that no prefetcher follows
//	loaded    the same, while the other CPUs move a share of the bandwidth that they can move
//	kvs       what a GET of a store does: an index line, then the item line that it names
//	copy …    the kernels of STREAM: see package stream
//
// # Latency
//
// latency_ns is absolute: the time from one load's address to the next one's. tinymembench prints
// the time beyond L1 instead: it subtracts a run whose loads all hit. Figures of the two differ by
// the latency of L1, and so do their ratios. beyond_l1_ns is tinymembench's column: the latency
// less that of a block of 1 KiB, measured in the same run. With two chains, a step loads a line of
// each.
//
// The figure is the median over slices of about a millisecond, so that an interrupt does not count.
//
// # A store's pattern
//
// An operation reads a random line of the index, and then the item that this line names. Half of
// the block is index, half items. With batch 1, an operation begins when the one before has its
// item. With batch 64, the loads of 64 operations overlap, as far as the processor can.
package memory
