// Package pipeline is a [kvs.Session] over the protocols of foreign stores, memcached's and
// Redis's. Their requests follow each other on a TCP connection and are answered in order. A [Wire]
// encodes and decodes; everything else is here.
//
// # Batches
//
// A batch is one write of many requests. The servers know nothing of batches: they read the bytes
// that have come, and answer in any number of writes. A batch's answers are handed on together when
// the last of them is in, as with the other stores. So a latency is that of a batch.
//
// # Connections
//
// A session has Connections × Workers of each node: one server, or the servers of a cluster. A
// cluster's key chooses the node. The session uses a node's connections in turn, all to the node's
// one address: the server chooses the thread that serves a connection. Package
// [dpukv/kvs/internal/sockets] writes, reads and waits.
//
// The buffers grow to the size of the largest batch and its answers, and stay. No operation
// allocates.
package pipeline
