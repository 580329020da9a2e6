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
// connection leave in one write while other connections keep the server busy. A batch that is full
// meanwhile leaves with the next batches of its connection, or when the thread next waits. Its
// latency counts from when it was complete, not from the write. The server finds the batches
// together, and answers them together if it can. With a window of 4, both sides then make about as
// many system calls as for one batch, which can double MICA's throughput. A connection that has a
// server worker to itself holds nothing back: client and server would wait for each other.
//
// A point has the mean number of batches in a write, as frames_per_write.
//
// # TLS
//
// A [Peer] may have TLS. Then crypto/tls encrypts and decrypts between two buffers, and the session
// makes the same system calls, without a goroutine. A read of crypto/tls allocates some dozen bytes
// for each record. [dpukv/kvs.Traffic] counts bytes before encryption, the kernel's counters have
// those after it.
//
// # Polling
//
// A session waits for its sockets in the kernel, or it polls them if its options say so: it looks
// again instead of sleeping, with one system call a turn. It counts the turns that found nothing as
// SpunNs of [dpukv/kvs.Traffic].
//
// # Links
//
// A [Link] carries batches in the place of a socket, as messages in memory. Nothing wakes a thread
// that waits for a link. So the session spins, then yields, then naps, and counts the time that it
// spun as SpunNs of [dpukv/kvs.Traffic].
package sockets
