// Package rawsocket has what a thread needs that makes system calls on TCP sockets itself, without
// Go's poller: a wait for many descriptors ([Poller]), a connection's descriptor ([TakeOver]), one
// send or receive, and the kernel's counters of a connection.
//
// The system calls of the data path are raw: Go's scheduler does not learn that the thread waits.
// [Poller.Wait] says why. Callers lock their goroutine to its thread, and bound every wait.
package rawsocket
