// Package mica serves [dpukv/kvs/mica/partition] over TCP, and is its client.
//
// # Workers and ports
//
// A server has workers. Each is one gnet event loop on one thread, pinned to one CPU,
// owns its partitions, and listens on a port of its own: a client that has
// hashed a key knows from the hash which worker owns it (the handshake tells
// how many partitions there are and every worker's port), and sends it there.
// So a worker meets only keys that are its own (EREW), and no request is
// handed from thread to thread. One port for all, split by SO_REUSEPORT, would have the
// kernel choose the worker, which knows no keys. In CREW a Get may go to any worker, a write goes to its owner.
//
// # Frames
//
// Both ways the stream is a sequence of frames, all numbers little endian:
//
//	byte 0        4         5      6       8          16
//	    | bytes   | version | kind | count | sequence | body …
//
// bytes is that of the whole frame, header included; an answer repeats its request's sequence. Kinds:
//
//	hello    client → server   body: 8 bytes of magic. The first frame of a connection.
//	welcome  server → client   body: JSON, the server's [kvs.Facts] and every worker's address
//	request  client → server   body: count operations
//	answer   server → client   body: count outcomes, in the request's order
//	ask      client → server   no body: asks for the counters
//	stats    server → client   body: JSON, [kvs.Stats]
//	failure  server → client   body: text. The connection ends after it.
//
// An operation of a request:
//
//	byte 0    1           2             4      8      16
//	    | op  | key bytes | value bytes | zero | hash | key, padded to 8 | value, padded to 8 |
//
// The body of an answer is all outcomes, padded to 8, then all values, in order, each padded to 8:
//
//	byte 0        1      2
//	    | status  | zero | value bytes |
//
// A batch of 64 Gets of 8-byte keys is a frame of 1,552 bytes, its answer with
// 8-byte values one of 784. A worker answers a frame with a frame, and all frames
// that one read brought with one write.
//
// # What a bad client can do
//
// A frame is checked whole before any of it is done. One that lies gets a failure
// frame and its connection ends; nobody else notices. A client that
// sends and never reads is cut off when its unread answers pass [MaxBacklogBytes].
package mica
