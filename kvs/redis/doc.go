// Package redis is a client of Redis, and starts the installed one. Servers that speak its protocol
// (Valkey, KeyDB, Dragonfly) can be measured too, where they run.
//
// # Protocol
//
// RESP3 where the server knows HELLO 3 (since Redis 6), else RESP2; which of the two is the
// protocol of the facts. What is used of them differs in how nothing is written. Requests are
// arrays of strings, and follow each other without waiting:
//
//	get     GET KEY              →  the value, or null
//	set     SET KEY VALUE        →  OK
//	add     SET KEY VALUE NX     →  OK, or null
//	delete  DEL KEY              →  1 or 0
//
// With the protocol [MGet] each row of GETs in a batch is one MGET, and the protocol ends in
// "+mget": fewer commands, other work, other figures. Keys and values are bytes.
//
// # Threads
//
// Redis executes all commands on one thread. More server threads are its io-threads, with
// io-threads-do-reads, which only move bytes, and which Redis itself lets sleep while fewer than
// two connections a thread have something waiting. A server that had several threads and did most
// of its writes on one says so in [kvs.Stats].Warnings, and that stands beside the point.
//
// # What is not Redis's
//
// The server hashes keys by itself. The client hashes them too, as for every store, and so bears
// the same work; its hash is used for nothing. The server started here keeps nothing on disk (no
// snapshots, no append-only file). Mode "cache" is maxmemory with allkeys-lru, "store" with
// noeviction.
package redis
