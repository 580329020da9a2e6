// Package kvs defines the types that all stores and their clients share: operations, outcomes,
// requests, answers, and the facts and counters of a running server.
//
// Package client creates a key, hashes it with a function from package hashbench's registry, and
// passes it to a store's session as a [Request]. The session batches requests in the store's wire
// format (a kvs/mica frame, a kvs/herd slot). It returns an [Answer] with the request's cookie and
// three times: the intended send time, the actual send time and the receive time.
package kvs
