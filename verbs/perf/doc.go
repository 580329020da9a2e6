// Package perf is an RDMA microbenchmark: latency and bandwidth of WRITE, READ and SEND over any
// verbs device, with perftest's measurements, defaults and columns, so that the two can be laid
// side by side.
//
// # What is measured
//
// Latency of WRITE and SEND is half of a ping-pong's round trip: a WRITE is answered when the
// polled last byte of memory has changed, a SEND when its receive completes. Latency of READ is
// from posting to completion, not halved.
//
// Bandwidth is what the client posts, up to TxDepth work requests ahead of the completions, of
// which one in CQMod is asked for. Its peak is the best tenth of the run. An MB is 2^20 bytes, as
// perftest has it. An unreliable service completes a message when it was sent; so how many SENDs
// arrived stands beside the figures, and a loss is a warning.
//
// # The two ends
//
// What to measure is the client's say; the server follows. Both tell each other their ports and
// queue pairs over a side channel, and look at them with [verbs.Check] before the first byte.
//
// # What devices say
//
// An error names the last events of the device since the run began ("the device said: port 1 went
// down 1.2 s ago"); a point that came out although either end's device had a serious one
// ([verbs.Event]) has it as a warning.
//
// # Memory
//
// Every queue pair has one region. A message ends where its area ends, on a multiple of 64 bytes,
// so that its last byte lies in a word that a device publishes after all others:
//
//	| out: … message | in: header of a datagram, … message |
package perf
