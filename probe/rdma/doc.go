// Package rdma is the kind of probes that measures RDMA verbs between two nodes: WRITE, READ and
// SEND, as dpukv probe verbs measures them, and perftest does.
//
//	test       what it measures
//	latency    half of a round trip, or a whole READ, one message at a time
//	bandwidth  messages of one size, with perftest's 128 in flight
//
// The device of each end is that of the testbed, as for stores over RDMA. The ends find each other
// over a TCP connection.
package rdma
