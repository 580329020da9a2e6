// Package sockets is what sessions over TCP share: connections taken away from Go's poller, the
// batches on their way over each, and a wait for all of them. What the bytes mean is the business
// of those who use it, kvs/mica and kvs/internal/pipeline.
//
// # Batches
//
// A connection has a batch being filled, and a window of batches in flight, which are answered in
// order. While the window is full, a full batch waits, and leaves with the next answer. Batches are
// used again, and nothing is allocated for an operation.
//
// # System calls
//
// A session makes them itself, on non-blocking descriptors, without a goroutine switch. With a
// window of one, each batch is a write and a read. With more, batches of one connection leave in
// one write as long as other connections keep the server busy meanwhile; it finds them together,
// and answers them together if it can. A connection that has a worker of the server to itself holds
// nothing back: client and server would wait for each other.
package sockets
