// Package memcached is a client of memcached, and starts the installed one. Servers that speak its
// protocol (Dragonfly, for one) can be measured too, where they run.
//
// # Protocols
//
// The meta text protocol (doc/protocol.txt of memcached, "Meta Commands", since 1.6), each request
// answered:
//
//	get     mg KEY v b           →  VA BYTES, VALUE   or EN
//	set     ms KEY BYTES b       →  HD
//	add     ms KEY BYTES b ME    →  HD                or NS
//	delete  md KEY b             →  HD                or NF
//
// Keys here are bytes and a text protocol cannot carry any byte, so they travel in base64 (the flag
// b), and the server stores what they stand for: a key of 8 bytes takes 12 on the wire and 8 in
// memory. A line has room for [MaxKeyBytesMeta] bytes of key. Values are bytes.
//
// A server that does not know the command mn, which does nothing, lacks these. Then it is the
// classic binary protocol (doc/protocol-binary.txt): each request and answer has a header of 24
// bytes, and a key up to [MaxKeyBytes] bytes. Which of the two was spoken is the protocol of the
// facts, "meta" or "binary".
//
// # What is not memcached's
//
// The server hashes keys by itself, and any of its threads serves any key ([kvs.Facts.Access] is
// "crcw"). The client hashes them too, as for every store, and so bears the same work;
// its hash is used for nothing. Mode "store" is the server's -M: nothing is evicted.
//
// # The server's settings
//
// Left alone, memcached answers at most 20 requests of a connection before it turns to the next,
// and writes what it has by then, so that a batch of 64 comes back in four pieces and costs it
// about half as much again. It is started with room for a batch (-R), as it is with a hash table
// for its items (-o hashpower): the other stores have both. All else is as installed. One that runs
// already is measured as it is.
package memcached
