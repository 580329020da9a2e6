// Package mica serves [dpukv/kvs/partition] over TCP, and is its client.
//
// # Workers and ports
//
// A server has workers. Each is one gnet event loop on one thread, pinned to one CPU, owns its
// partitions, and listens on a port of its own. A client that has hashed a key knows from the hash
// which worker owns it, and sends it there. So a worker meets only keys that are its own (EREW),
// and no request is handed from thread to thread. One port for all, split by SO_REUSEPORT, would
// have the kernel choose the worker, which knows no keys.
//
// # Frames
//
// This section and the next three are all that a client in another language needs.
//
// A client opens TCP connections, at least one to each worker that it asks. Both ways the stream is
// a sequence of frames. All numbers are unsigned and little endian. A frame begins with a header of
// 16 bytes:
//
//	byte 0        4         5      6       8          16
//	    | bytes   | version | kind | count | sequence | body …
//
// bytes is the length of the whole frame with its header: 16 to 8,388,608. version is 1. count is
// the number of operations of a request or an answer, 0 to 4,096, and 0 in all other frames.
// sequence is any number that the client likes; the frame that answers repeats it. Kinds:
//
//	1 hello    client → server   body: 8 bytes of magic, hex 64 70 75 6b 76 00 4d 31
//	2 welcome  server → client   body: JSON. It answers the hello.
//	3 request  client → server   body: count operations
//	4 answer   server → client   body: count outcomes, in the request's order
//	5 ask      client → server   no body: it asks for the counters
//	6 stats    server → client   body: JSON of [kvs.Stats]. It answers an ask.
//	7 failure  server → client   body: UTF-8 text, why the connection ends. sequence is 0.
//
// An operation of a request:
//
//	byte 0    1           2             4      8      16
//	    | op  | key bytes | value bytes | zero | hash | key, padded to 8 | value, padded to 8 |
//
//	op: 1 GET   2 SET   3 ADD (stores only where nothing was)   4 DELETE
//
// A key has 1 to 255 bytes, a value 0 to 65,535. GET and DELETE have no value. Padding fills up to
// a multiple of 8 bytes; the server does not look at it. hash is that of the key: see "Routing".
//
// The body of an answer is all outcomes, together padded to 8, then all values, in order, each
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
// Only a GET that is ok has a value, and its length may be 0. Padding is zero.
//
// A batch of 64 GETs of 8-byte keys is a frame of 1,552 bytes, its answer with 8-byte values one of
// 784.
//
// # A connection
//
// The client sends a hello, whose frame has exactly 24 bytes, and reads the welcome. Every
// connection begins so, to whichever worker. The welcome's JSON has, with more that may be ignored:
//
//	ports                  a list of numbers: worker i's port, on the host that the client dialled
//	facts.workers          how many workers there are
//	facts.partitions       how many partitions, over all workers; a multiple of workers
//	facts.hash             the name of the hash function
//	facts.access           "erew" or "crew": see "Routing"
//	facts.mode             "cache" (a full store forgets the oldest) or "store" (it answers full)
//	facts.max_batch        the most operations of a request
//	facts.max_frame_bytes  the most bytes of a frame, either way
//	facts.guaranteed_bytes what the server keeps for a connection whatever others do
//
// Then the client sends requests, as many at once as it likes, and asks, one at a time. Answers to
// requests come in the requests' order. Stats come when they are there, between any two answers.
// The client has to read while it sends: while answers are not read, no further request is
// answered. It keeps its side open until it has read all answers: a request that waits when the
// client ends its side is not done.
//
// # Routing
//
// The hash belongs to the client, which so pays for hashing. The server does not compare it with
// the key: an item is found by hash and key together, so that all clients have to use the function
// that the welcome names. From it follow the partition and the worker that owns it, with integer
// division:
//
//	partition = ((hash >> 48) * partitions) >> 16
//	worker    = partition / (partitions / workers)
//
// With access "erew" every operation goes to that worker. With "crew" a GET may go to any worker,
// and all others go there.
//
// "city64" is CityHash64 without a seed, of google/cityhash 1.1. Of no bytes it is
// 9ae16a3b2f90404f, of "12345678" 2f99d2664a0fb6ea, of the bytes 1 and seven of 0 it is
// 523be90bb03b5a61, of "hello, world" 0bddb94646e75817. The other names stand in dpukv/hashbench.
//
// # What a bad client can do
//
// A frame is checked whole before any of it is done. The server wants: version, length and count
// within the limits above; a hello first and only once, with its magic; kinds 3 and 5 after it; an
// ask without a body, and not before the last one was answered; count operations that fill the body
// exactly, with known codes, a key, zero where zero stands above, and no value but with SET and
// ADD. Anything else ends the connection: the answers to what came before, then a failure frame,
// then the end of the stream. The server reads on for a second, so that the client can read why.
//
// One client's input changes nothing for another but by taking its turn. What a connection may take
// is limited for all its life, in one place (peer):
//
//	before the hello     24 bytes, 5 s from the accept
//	a frame              30 s from its first byte to its last
//	unread answers       30 s from when the kernel takes no more
//	sent ahead           8 MiB and 256 KiB that are not answered yet
//	asks                 one; those of all clients share a gathering, one every 10 ms at most
//	a turn               a read of 256 KiB and 1 MiB of answers, and one frame of answers more
//
// A turn is short that reads and answers at most 64 KiB. A connection whose last 16 turns were
// short has a short one when its bytes come. All others wait in a line, of which one or two have a
// turn each time the loop goes around, and while there are short turns the line has at most half of
// the time. A frame that is begun is answered whole: one in 17 short turns can have a long one.
//
// Memory is a budget: BufferBytes for at most MaxConnections connections. Half of it is split among
// the connections, each of which has its guarantee, the other half is common. A buffer is 4 KiB at
// least and a power of two; it grows with bytes that have arrived, never by what a header claims,
// and answers count while gnet holds them. Who needs more than its guarantee when the common half
// is used up is ended, with the reason where a frame's end permits. Who stays within it is not: a
// connection always does whose unanswered requests and their answers have, together, a third of
// what the guarantee is above 12 KiB. The default, 256 MiB for 4,096 connections, guarantees each
// 32 KiB.
//
// The budget is what buffers hold. Go's garbage collector lets memory stand until as much again was
// used; "dpukv serve" limits its heap to nine eighths of the budget and 32 MiB. Beside it each
// worker has 9 MiB to work in, and 8 MiB of buffers for the next large frames. A server whose
// buffers do not fit the machine's memory, or its control group's, does not start; buffers that
// nobody asked for shrink to what fits.
//
// A connection that finds no place is told so and closed; so is one that the process has no
// descriptor for. No error of accept ends a server ([dpukv/kvs/internal/admission]). Who takes all
// places keeps newcomers out: a server that others can reach should have more of them.
//
// The figures are told: [kvs.Facts] has the limits, [kvs.Stats] what was held, refused and ended.
// simulation_test.go checks all of this after every step of hostile and honest clients.
//
// # gnet
//
// gnet runs the loops; its own listener, queue of tasks and buffers are not used.
//
// Its accept loop ends where the process has no descriptor left. Here a door accepts, and hands the
// connection to the loop. gnet's queue of tasks is emptied before the loop looks at connections
// again, and is rung through a descriptor that may be another file's once the loop has ended. Here
// each loop has a bell among its connections, one of a pair of sockets, which it reads in turn with
// them. All input is taken from gnet at once and kept where it is counted. Answers are written so
// that gnet's copies of what the kernel did not take can be counted, too (see outboundBytes), and
// do not leave large buffers in its pool, where a small rest would pin them. gnet does not tell
// when it has written them: that is looked for once a millisecond, while there are any.
package mica
