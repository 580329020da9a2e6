// Package follow knows what must be at the keys of a trace, by the answers so far. The thread that
// has a key compares each answer with that: so a lost or stale SET and a lost DELETE show.
//
// This takes a server that executes and answers the operations of a key in their order. Of a key
// without an answer yet, nothing is known: an earlier load may have stored it.
package follow
