// Package sockets has the common part of sessions over TCP: connections taken away from Go's
// poller, the batches on their way over each, and a wait for all of them. kvs/mica and
// kvs/internal/pipeline give the bytes their meaning.
//
// # Batches
//
// A connection has a current batch, and a window of batches in flight, which are answered in order.
// While the window is full, a full batch waits, and leaves with the next answer. Batches are
// reused, and no operation allocates.
//
// # System calls
//
// A session makes system calls itself, on non-blocking descriptors, without a goroutine switch.
// With a window of one, each batch is a write and a read. With a larger window, batches of one
// connection leave in one write while other connections keep the server busy. The server finds them
// together, and answers them together if it can. A connection that has a server worker to itself
// holds nothing back: client and server would wait for each other.
package sockets
