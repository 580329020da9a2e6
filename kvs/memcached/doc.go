// Package memcached is a client of memcached, and starts the installed one. It can also measure
// running servers that speak its protocol (Dragonfly, for one).
//
// # Protocols
//
// The client speaks the meta text protocol (doc/protocol.txt of memcached, "Meta Commands", since
// 1.6). The server answers each request:
//
//	get     mg KEY v b           →  VA BYTES, VALUE   or EN
//	set     ms KEY BYTES b       →  HD
//	add     ms KEY BYTES b ME    →  HD                or NS
//	delete  md KEY b             →  HD                or NF
//
// Keys are arbitrary bytes, which a text protocol cannot carry. So keys travel in base64 (the flag
// b), and the server stores the decoded bytes: a key of 8 bytes takes 12 on the wire and 8 in
// memory. A line has room for [MaxKeyBytesMeta] bytes of key. Values are bytes.
//
// If a server does not know the no-op command mn, it lacks the meta commands. Then the client
// speaks the classic binary protocol (doc/protocol-binary.txt): each request and answer has a
// header of 24 bytes, and a key of up to [MaxKeyBytes] bytes. The facts name the protocol, "meta"
// or "binary".
//
// # Differences from plain memcached
//
// The server hashes keys by itself, and any of its threads serves any key ([kvs.Facts.Access] is
// "crcw"). It does not use client-side hashes, so the client hashes no keys by default. If the load
// names a hash function, the client computes it, and nobody uses the result. Mode "store" is the
// server's -M: it evicts nothing.
//
// # The server's settings
//
// By default memcached answers at most 20 requests of a connection before it turns to the next, and
// writes its answers then. So a batch of 64 comes back in four pieces, and costs memcached about
// 50 % more. The other stores answer a batch at once, and size their index for the items. So dpukv
// starts memcached with room for a batch (-R), and with a hash table for its items (-o hashpower).
// Everything else is as installed. A running server is measured as it is.
package memcached
