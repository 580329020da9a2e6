// Package onesided is a store over RDMA verbs whose clients READ the items by themselves. A GET
// takes no CPU time of the server.
//
// # What goes where
//
// A client READs an item from the server's memory over a reliable connection (RC). All else is a
// request of [dpukv/kvs/herd]: SET, ADD, DELETE, a GET of a key of more than 16 bytes, and a GET
// that READs could not answer. HERD's server, slots, side channel, limits and repeats are in use
// unchanged. This package adds what a worker executes, one region for all tables, and a question
// behind the join:
//
//	client                                             server
//	reads                RC QP ── READ neighbourhood ▶ RC QP   the tables of all workers
//	the session of HERD  UC QP ── WRITE requests ────▶ UC QP   slots
//	                     UD QP ◀── SEND answers ────── UD QP
//	side channel:        TCP   ── hello, join, question ▶ TCP  ◀ welcome, slots, grant
//
// The grant has the address, key and size of the region, the shape of the tables, and a seed. Each
// connection has one queue pair. In its protection domain is only the region, which it may read.
//
// # Items
//
// Each worker owns a table, and alone writes to it. An item is a cache line:
//
//	byte 0     16      48        52             53     54          55      56
//	     | key | value | version | value length | kind | key bytes | flags | seal
//
//	kind 0  free
//	     1  the value is in the item: up to 32 bytes
//	     2  the value is behind a pointer; bytes 16–39 are its offset, its size, its seal
//	     3  the key alone: the server has the value elsewhere
//
// A key's home is a place that all bits of its hash determine. It may lie there or in the next
// places, together a neighbourhood: 8 places by default. One READ brings all of them. Places are
// for a load of 60 %. At that load, 1.2 % of the keys find no place in 8 (4.5 % in 4, 0.2 % in 16).
// Such a key is in HERD's partition, and a flag in its home says so. The number of those keys of
// each home is known to the worker. When the last one is deleted, the flag goes away.
//
// A value behind a pointer takes a second READ. With "inline: no", all values are there. When its
// memory is used up, a value goes to the partition, and the item becomes one of kind 3.
//
// # How a client reads
//
//   - The item of the key is there, with its seal: that is the answer, or the way to it.
//   - The item or the value lacks its seal: something was written meanwhile. READ again, three
//     times at most. Then ask the server.
//   - There is no item, home has its seal, and no flag: the key does not exist.
//   - There is no item, and a flag: ask the server.
//
// No order of the bytes of a READ is needed. PCIe promises none, and a WRITE of the CPU may come in
// between. The seal is a checksum of 64 bits, made of 5 multiplications. It is of the item and of
// the words that the server's seed gives: the items of an earlier server, or memory that is no
// table, have no seal. Its bits change as by chance (TestSealAvalanche). That is enough against
// mixtures, and not against a forger.
//
// # Order
//
// READs and requests take different ways, so nothing orders a GET and a SET in flight together.
// Where the order of a key's requests matters ([dpukv/kvs.SessionOptions.KeepOrder]), a SET waits
// for the answers of that key, and a GET for the answers to its SETs.
//
// # Why no item moves
//
// From its insertion to its deletion, a key has one place, or none and is elsewhere. A key that
// moves to a free place, the copy first, is missed by a READ that sees the new place before and the
// old one after. No seal shows that: TestMovesAreFound. Hopscotch hashing fills a table better, and
// is not used for that reason.
//
// So a reader that finds neither item nor flag is right. If the key existed at all times of the
// READ, it had its place at all times, whose bytes with the key did not change. If it was
// elsewhere, the flag was set at all times, as the flag goes only after a deletion.
// TestLinearizable records histories, and TestTorn rewrites a hot key without a pause. Both do so
// under each model of [dpukv/verbs/nasty]. Without the seal, TestTornIsFound finds mixtures.
//
// Requests in flight together have no order, also on one connection: a GET overtakes a SET.
//
// # Blocks
//
// A new value gets a block before its item points there, and the old block is free at once. A
// reader that comes late finds bytes without the seal in its pointer. Values that change their size
// have blocks of the largest size, so that any free block fits.
//
// # Keys of more than 16 bytes
//
// Such keys are in the partition alone, and each GET of them is a request. A server whose keys may
// be so long has room for all items in both places.
//
// # When the server ends
//
// A READ of a closed region ends the queue pair, and the session with an error. A session also
// looks at its side channel before each look at READs. Over shm, the memory of a server that was
// killed can be read for the moment until the kernel closes that channel. What it has is what the
// server had. A client dials again. Another server has another seed.
//
// # Who pays
//
// Over shm the client copies the items itself. A NIC reads them without a CPU. Over softroce, the
// server's threads answer READs: the facts name the responder. The server's worker still polls, and
// naps when nothing comes.
//
// READs in flight are bounded by the window, and by the depth of the NIC for READs: 16 by default.
// 512 bytes for each GET are 22 million GETs per second at 100 Gb/s.
//
// # What a bad client can do
//
// In addition to what HERD's doc says: whoever has a connection, or its key on the way to a NIC,
// reads the whole region. That includes items that it never asked for, and deleted values until
// their block is used again. It cannot write there. A hostile server can give any bytes. A client
// never reads beyond its buffers, and never asks for memory outside the region of the grant.
//
// # Not here
//
// Line versions (FaRM) need a device that reads each line as a whole. No verb promises that, and
// the seal takes 3 ns. "validate: none" leaves out the check, to show its price: TestTornIsFound
// shows what else it does. Items do not expire. No item leaves its place for another: in mode
// cache, only the partition evicts.
package onesided
