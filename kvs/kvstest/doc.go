// Package kvstest checks stores. [Conformance] is the suite that every store passes: it starts a
// server, and checks what the load client relies on.
//
//   - Operations: outcomes, values and keys of every size, long random sequences against a map.
//   - Load: batches leave whole; as many are in flight, on as many connections, as were asked for.
//   - Order: a session that is asked to keeps the order of each key's requests.
//   - Answers: one for each request, with its cookie, its times, and a value that lasts.
//   - Ends: Close leaves nothing behind; the end of a server is an error.
//
// A store outside this repository uses it in the same way:
//
//	func TestConformance(t *testing.T) {
//		kvstest.Conformance(t, &toy.Store, kvstest.Config{})
//	}
//
// [Conform] checks the sessions of a server that runs already. The tests of this package break a
// session in thirty ways, and show that the suite finds each.
//
// [Do] submits, flushes and polls like the load client, but returns the answers in the order of the
// requests, which a test can compare. Further helpers are a full store, a stranger in a server's
// place, and a process without descriptors. Package kvs/internal/pipetest has the tests that only
// sessions over pipelined TCP need.
package kvstest
