// Package mica serves [dpukv/kvs/mica/partition] over TCP, and is its client.
//
// # Workers and ports
//
// A server has workers. A worker is one gnet event loop on one thread, pinned to one CPU. It owns
// partitions and listens on a port of its own. The hash of a key tells a client which worker owns
// the key, and the client sends it there. So a worker meets only its own keys (EREW), and no
// request passes from thread to thread. With one port for all and SO_REUSEPORT the kernel would
// choose the worker, and it knows no keys. In CREW any worker answers GETs, and the owner writes.
//
// # Frames
//
// This section and the next three are the whole protocol: a client in another language needs no
// more. All numbers are unsigned and little endian. Both ways the stream is a sequence of frames:
//
//	byte 0        4         5      6       8          16
//	    | bytes   | version | kind | count | sequence | body …
//
// bytes counts the whole frame, these 16 bytes included; version is 1. count is that of operations
// in requests and answers, and 0 elsewhere. sequence is the client's choice in what it sends. An
// answer, a welcome and a stats frame repeat the sequence of the frame that they answer. A failure
// frame has sequence 0.
//
//	kind          from     body
//	1  hello      client   8 bytes of magic: 64 70 75 6b 76 00 4d 31, "dpukv\x00M1"
//	2  welcome    server   a JSON object: see below
//	3  request    client   count operations
//	4  answer     server   count outcomes, in the request's order
//	5  ask        client   none: asks for the counters
//	6  stats      server   a JSON object, [kvs.Stats]
//	7  failure    server   text in UTF-8: why the server now closes the connection
//
// The first frame of a connection is a hello of exactly 24 bytes. A client may send requests
// without waiting for the answers. The answers of a connection come in the order of its requests.
// An ask is answered by itself, perhaps after requests that were sent later; a client sends its
// next ask after that answer.
//
// The largest frame has 8,388,608 bytes (8 MiB), either way. A request has at most 4,096
// operations, and may have none.
//
// # Operations and outcomes
//
// An operation of a request, with no gap to the next one:
//
//	byte 0    1           2             4      8      16
//	    | op  | key bytes | value bytes | zero | hash | key, padded to 8 | value, padded to 8 |
//
//	op 1 GET   2 SET, stores whatever was there   3 ADD, stores where nothing was   4 DELETE
//
// Padding bytes may be anything. A key has 1 to 255 bytes, a value 0 to 65,535; GET and DELETE
// have no value. The four bytes named zero are 0. The last operation ends where the frame ends.
//
// The body of an answer is all outcomes, padded with zeros to a multiple of 8, then the values of
// all GETs that found one, in order, each padded to a multiple of 8 with bytes of any content:
//
//	byte 0        1      2
//	    | status  | zero | value bytes |
//
//	status 0 ok          1 not found: GET, DELETE      2 exists: ADD
//	       3 full: SET, ADD in a server of mode store  4 too large: the answer's frame is full
//	       5 wrong worker: see below
//
// A batch of 64 GETs of 8-byte keys is a frame of 1,552 bytes, its answer with 8-byte values one of
// 784. The operations of a frame are done in order.
//
// # Welcome
//
// These fields of its JSON object matter to a client; it ignores the others.
//
//	facts.workers          W, how many workers there are
//	facts.partitions       P, over all workers: a multiple of W
//	facts.hash             the name of the hash function for keys, such as "city64"
//	facts.access           "erew" or "crew"
//	facts.max_batch        the most operations of a request
//	facts.max_frame_bytes  the most bytes of a frame
//	ports                  the TCP port of each worker, worker 0 first
//
// There are ports and no addresses: a client reaches every worker at the address that it dialled.
//
// # Which worker
//
// With H the 64-bit hash of a key, the key's partition is p = ((H >> 48) × P) >> 16, and its worker
// is p / (P/W), rounded down. A client connects to each worker that it sends to, with a hello on
// each connection, and sends each operation to its key's worker. In access "crew" any worker
// answers a GET. A worker that is asked for a key that is not its own answers status 5.
//
// Hash functions have the names of package hashbench. "city64" is CityHash64, without a seed, of
// Google's CityHash 1.1 (github.com/google/cityhash, city.cc):
//
//	""                                             9ae16a3b2f90404f
//	"12345678"                                     2f99d2664a0fb6ea
//	"0123456789abcdef"                             54b961e5dc834067
//	"The quick brown fox jumps over the lazy dog"  c268724928feca7d
//	"0123456789" seven times                       e81ab32abd5d8138
//
// The server does not verify hashes. Clients that hash one key differently do not see each other's
// items under it.
//
// # What a bad client can do
//
// A frame is checked whole before any of it is done. One that lies gets a failure
// frame and its connection ends; nobody else notices. A client that
// sends and never reads is cut off when its unread answers pass [MaxBacklogBytes].
package mica
