// Package perf is an RDMA microbenchmark: latency and bandwidth of WRITE, READ and SEND over any
// verbs device. It has perftest's measurements, defaults and columns, so that the two are
// comparable.
//
// # Measurements
//
// The latency of WRITE and SEND is half of a ping-pong's round trip. The answer to a WRITE follows
// when the polled last byte of memory has changed, the answer to a SEND when its receive completes.
// The latency of READ is the time from posting to completion, not halved.
//
// For bandwidth, the client posts up to TxDepth work requests ahead of the completions. One in
// CQMod requests a completion. The peak is the best tenth of the run. An MB is 2^20 bytes, as in
// perftest. An unreliable service completes a message once it is sent. Therefore the report shows
// the number of SENDs that arrived, and a loss is a warning.
//
// # The two ends
//
// The client chooses the measurement; the server follows. Both exchange their ports and queue pairs
// over a side channel, and compare them with [verbs.Check] before any traffic.
//
// # Device events
//
// An error names the last events of the device since the run began ("the device said: port 1 went
// down 1.2 s ago"). A successful point has a warning if either end's device had a serious event
// ([verbs.Event]).
//
// # Memory
//
// Every queue pair has one region. A message ends where its area ends, on a multiple of 64 bytes.
// So its last byte lies in a word that a device publishes after all others:
//
//	| out: … message | in: header of a datagram, … message |
package perf
