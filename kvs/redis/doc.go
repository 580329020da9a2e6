// Package redis is a client of Redis, Valkey and Dragonfly, and starts the installed ones. As the
// store of Redis, it measures any running server of the protocol. INFO tells which product it is.
//
// # Protocol
//
// The protocol is RESP3 if the server knows HELLO 3 (since Redis 6), else RESP2; the facts name it.
// As used here, the two differ only in the null reply. Requests are arrays of strings, and follow
// each other without waiting:
//
//	get     GET KEY              →  the value, or null
//	set     SET KEY VALUE        →  OK
//	add     SET KEY VALUE NX     →  OK, or null
//	delete  DEL KEY              →  1 or 0
//
// With the protocol [MGet], each run of consecutive GETs in a batch is one MGET, and the protocol's
// name ends in "+mget". This is a different workload: fewer commands, other work, other figures.
// Keys and values are bytes.
//
// # Threads
//
// Redis executes all commands on one thread. More server threads are its io-threads, with
// io-threads-do-reads. They only move bytes. Redis lets them sleep while fewer than two connections
// per thread have work. If the main thread did most of the writes of a server with several threads,
// [kvs.Stats].Warnings has a warning, which stands beside the point. Valkey does the same. Each
// thread of Dragonfly executes commands, for a part of the keys.
//
// # Differences from plain Redis
//
// The server hashes keys by itself. It does not use client-side hashes, so the client hashes no
// keys by default. If the load names a hash function, the client computes it, and nobody uses the
// result. The server started here keeps nothing on disk: no snapshots, no append-only file. Mode
// "cache" is maxmemory with allkeys-lru. Mode "store" is maxmemory with noeviction.
package redis
