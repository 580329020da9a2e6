// Package mica serves [dpukv/kvs/partition] over TCP, and contains its client.
//
// # Workers and ports
//
// A server has workers. Each worker is one gnet event loop on one thread, pinned to one CPU. It
// owns its partitions and listens on a port of its own. The hash of a key tells the client which
// worker owns it, and the client sends the request there. So a worker sees only its own keys
// (EREW), and no request passes from thread to thread. With a single port and SO_REUSEPORT, the
// kernel would choose the worker, and the kernel does not know keys.
//
// A worker without requests sleeps in its loop, or it polls if its configuration says so. The loop
// of a worker that polls watches a descriptor that stays readable. So it never blocks: each turn
// looks at all connections once. The turns that found nothing count as SpunNs. After 200 ms of them
// the worker sleeps for 50 µs between turns.
//
// # Frames
//
// A client in another language needs only this section and the next three.
//
// A client opens TCP connections, at least one to each worker that it uses. Each direction is a
// sequence of frames. All numbers are unsigned and little endian. A frame begins with a header of
// 16 bytes:
//
//	byte 0        4         5      6       8          16
//	    | bytes   | version | kind | count | sequence | body …
//
// bytes is the length of the whole frame, header included: 16 to 8,388,608. version is 1. count is
// the number of operations of a request or an answer, 0 to 4,096. It is 0 in all other frames. The
// client chooses sequence freely; the answer repeats it. These are the kinds:
//
//	1 hello    client → server   body: 8 bytes of magic, hex 64 70 75 6b 76 00 4d 31
//	2 welcome  server → client   body: JSON. It answers the hello.
//	3 request  client → server   body: count operations
//	4 answer   server → client   body: count outcomes, in the request's order
//	5 ask      client → server   no body: it asks for the counters
//	6 stats    server → client   body: JSON of [kvs.Stats]. It answers an ask.
//	7 failure  server → client   body: UTF-8 text, why the connection ends. sequence is 0.
//
// A request consists of operations:
//
//	byte 0    1           2             4      8      16
//	    | op  | key bytes | value bytes | zero | hash | key, padded to 8 | value, padded to 8 |
//
//	op: 1 GET   2 SET   3 ADD (stores only where nothing was)   4 DELETE
//
// A key has 1 to 255 bytes, a value 0 to 65,535. GET and DELETE have no value. Padding extends to a
// multiple of 8 bytes; the server ignores it. hash is the hash of the key: see "Routing".
//
// The body of an answer has all outcomes, together padded to 8, and then all values, in order, each
// padded to 8. An outcome:
//
//	byte 0        1      2
//	    | status  | zero | value bytes |
//
//	status: 0 ok
//	        1 not found     GET or DELETE of a key that is not there
//	        2 exists        ADD of a key that is there
//	        3 full          SET or ADD: no room, in mode "store"
//	        4 too large     GET: its value would make the answer longer than a frame; ask again, for
//	                        less at once
//	        5 wrong worker  another worker owns the key; in access "crew" GETs never get it
//
// Only a successful GET has a value. The value may have length 0. Padding is zero.
//
// A batch of 64 GETs of 8-byte keys is a frame of 1,552 bytes. Its answer with 8-byte values has
// 784.
//
// # A connection
//
// On every connection, to any worker, the client first sends a hello and reads the welcome. The
// hello's frame has exactly 24 bytes. The welcome's JSON has these fields, and others that a client
// may ignore:
//
//	ports                  a list of numbers: worker i's port, on the host that the client dialled
//	facts.workers          the number of workers
//	facts.partitions       the number of partitions over all workers; a multiple of workers
//	facts.hash             the name of the hash function
//	facts.access           "erew" or "crew": see "Routing"
//	facts.mode             "cache" (a full store forgets the oldest) or "store" (it answers full)
//	facts.max_batch        the maximum number of operations in a request
//	facts.max_frame_bytes  the maximum size of a frame, in both directions
//	facts.guaranteed_bytes the buffer memory of a connection, whatever others do
//
// Then the client sends any number of requests at once, and asks, one at a time. Answers to
// requests come in the order of the requests. Stats come when they are ready, between any two
// answers. The client must read while it sends: the server does not answer further requests while
// answers are unread. The client keeps its side open until it has read all answers: the server
// drops requests that still wait when the client ends its side.
//
// # Routing
//
// The client computes the hash, and so bears its cost. The server does not compare the hash with
// the key. It finds an item by hash and key together, so all clients must use the function in the
// welcome. The hash determines the partition and the worker that owns it, with integer division:
//
//	partition = ((hash >> 48) * partitions) >> 16
//	worker    = partition / (partitions / workers)
//
// With access "erew" every operation goes to that worker. With "crew" a GET may go to any worker;
// all other operations go to the owner.
//
// "city64" is CityHash64 without a seed, of google/cityhash 1.1. The hash of no bytes is
// 9ae16a3b2f90404f, of "12345678" 2f99d2664a0fb6ea. The hash of the bytes 1 and seven of 0 is
// 523be90bb03b5a61, of "hello, world" 0bddb94646e75817. The other names stand in dpukv/hashbench.
//
// # What a bad client can do
//
// The server checks a whole frame before it executes any part of it. It requires version, length
// and count within the limits above. It requires a hello first and only once, with its magic, and
// kinds 3 and 5 only after it. An ask must have no body, and must not come before the answer to the
// last one. The operations of a request must fill the body exactly. They need known codes and a
// key. They must have zero where zero stands above, and only SET and ADD may have a value. Anything
// else ends the connection: the server sends the answers to earlier requests, then a failure frame,
// then the end of the stream. It reads on for a second, so that the client can read the reason.
//
// A client can delay another only by taking its turn. The type peer has all limits of a connection:
//
//	before the hello     24 bytes, 5 s from the accept
//	a frame              30 s from its first byte to its last
//	unread answers       30 s after the kernel's buffer is full
//	sent ahead           8 MiB and 256 KiB without an answer
//	asks                 one at a time; all clients share a round of counting, at most one in 10 ms
//	a turn               a read of 256 KiB and 1 MiB of answers, and one more frame of answers
//
// A short turn reads and answers at most 64 KiB. If a connection's last 16 turns were short, it
// gets a short turn when its bytes come. All other connections wait in a line. One or two of them
// get a turn each time the loop goes around. While there are short turns, the line gets at most
// half of the time. The server answers a frame completely once it has begun: one in 17 short turns
// can have a long one.
//
// Memory is a budget: BufferBytes for at most MaxConnections connections. Half of it is split among
// the connections as their guarantees, the other half is common. A buffer is a power of two, at
// least 4 KiB. It grows with bytes that have arrived, never by the length in a header. Answers
// count while gnet holds them. If the common half is used up, a connection that needs more than its
// guarantee ends, with the reason where a frame's end permits. A connection within its guarantee
// never ends for this reason. It is always within it if its unanswered requests and their answers
// together have at most a third of the guarantee above 12 KiB. The default, 256 MiB for 4,096
// connections, guarantees each 32 KiB.
//
// The budget covers the contents of buffers. Go's garbage collector keeps dead memory until as much
// again was allocated. Therefore "dpukv serve" limits its heap to nine eighths of the budget and 32
// MiB. In addition, each worker has 9 MiB of working memory, and 8 MiB of buffers for the next
// large frames. A server does not start if its buffers do not fit the machine's memory, or its
// control group's. Default buffers shrink to what fits.
//
// A server with MaxConnections connections refuses the next one, with the reason. It also refuses a
// connection for which the process has no descriptor. No error of accept ends a server
// ([dpukv/internal/admission]). A client that holds all connections keeps others out: a server
// that others can reach should have a higher limit.
//
// [kvs.Facts] reports the limits. [kvs.Stats] reports the use of buffers, and the refused and ended
// connections. simulation_test.go checks all of this after every step of hostile and honest
// clients.
//
// # gnet
//
// gnet runs the event loops. The server does not use gnet's listener, task queue and buffers.
//
// gnet's accept loop ends when the process has no descriptor left. Here package admission accepts
// connections, and hands them to the loop.
//
// gnet empties its task queue before the loop looks at connections again. It wakes the queue
// through a descriptor, and once the loop has ended, another file may have that descriptor. Here
// each loop has a pair of sockets for wakeups. It reads one of them in turn with its connections.
//
// The server takes all input from gnet at once and keeps it where it is counted. It writes answers
// in pieces, so that it can also count gnet's copies of the bytes that the kernel did not take (see
// outboundBytes). Pieces also leave no large buffers in gnet's pool, where a small rest would pin
// them. gnet does not report when it has written the copies. While there are any, the server checks
// once a millisecond.
package mica
