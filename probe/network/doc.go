// Package network has the kind of probes that measures TCP between two nodes. Its axis test chooses
// what is measured:
//
//	stream   bandwidth, by the installed iperf3 (package stream)
//	rr       request-response: latency and rate of messages (package rr)
package network
