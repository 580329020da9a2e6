// Package peer has the two ends of an interoperability test, each a test to be run by hand, or by package guest, in a process of its own:
//
//	DEVICE=ibverbs:rxe0 ADDR=:7000 peer.test -test.run '^TestServe$'
//	DEVICE=softroce:10.0.0.1 ADDR=10.0.0.2:7000 peer.test -test.run '^TestDrive$' -test.v
//
// TestHERDServe and TestHERDDrive are a HERD server and a client that checks every answer; CONTROL is an address
// at the server, which ends when the connection to it does.
//
// DEVICE is as package provider has it, ADDR that of the side channel. Without them the tests are skipped.
package peer
