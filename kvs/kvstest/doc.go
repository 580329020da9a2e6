// Package kvstest has what the stores' tests share: a way to run requests through any session, a
// full store, a stranger in a server's place, and a process without descriptors.
//
// [Do] submits, flushes and polls like the load client, but returns the answers in the order of the
// requests, which a test can compare. Package kvs/internal/pipetest builds on it. It has the tests
// for all sessions over pipelined TCP.
package kvstest
