// Package pipeline is a [kvs.Session] over the protocols of other stores, in which requests follow
// each other on a TCP connection and are answered in order: memcached's and Redis's. What the bytes
// look like is the business of a [Wire], all else is here.
//
// # Batches
//
// A batch is one write of many requests. The servers know nothing of batches: they read what has
// come, and answer in as many writes as they like. A batch's answers are handed on together, when
// the last of them is in, as with the other stores: a latency is that of a batch.
//
// # Connections
//
// A session has Connections × Workers of the server, used in turn, all to the server's one
// address: which of its threads serves which is the server's choice. How they are
// written, read and waited for is the business of [dpukv/kvs/internal/sockets].
//
// The buffers grow to what the largest batch and its answers take, and stay; nothing is
// allocated for an operation.
package pipeline
