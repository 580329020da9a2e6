// Package peer has the two ends of an interoperability test. Each end is a test in a process of its
// own, started by hand or by package guest:
//
//	DEVICE=ibverbs:rxe0 ADDR=:7000 peer.test -test.run '^TestServe$'
//	DEVICE=softroce:10.0.0.1 ADDR=10.0.0.2:7000 peer.test -test.run '^TestDrive$' -test.v
//
// TestHERDServe is a HERD server, and TestHERDDrive is a client that checks every answer. CONTROL
// is an address at the server. The server ends when the connection to that address does.
// TestOneSidedServe and TestOneSidedDrive are those of a store whose clients read items.
//
// DEVICE has the format of package provider, and ADDR is the address of the side channel. Without
// them the tests are skipped.
package peer
