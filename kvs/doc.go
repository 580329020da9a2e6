// Package kvs holds the words that every store and every client of a store
// share: the operations, their outcomes, one request and one answer, and what a
// running server tells of itself.
//
// A key is born in package client, hashed by a function from package hashbench's
// registry, and handed to a store's session as a [Request]. The session batches
// it into whatever its store's wire wants (a kvs/mica frame, a kvs/herd slot), and
// hands back an [Answer] that carries the request's cookie and three times:
// when it was meant to leave, when it left, and when its answer was in.
package kvs
