// Package kvstest is what the stores' tests share: requests through a session, whatever carries it;
// a store made full; a stranger in a server's place; a process without descriptors.
//
// [Do] submits, flushes and polls as the load client does, but gives the answers in the requests'
// order, as a test wants to compare them. What all sessions over pipelined TCP must pass stands in
// kvs/internal/pipetest, which is built on it.
package kvstest
