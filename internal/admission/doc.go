// Package admission accepts connections for a server that must survive connection floods, and a
// machine without free descriptors.
//
// # What ends, and what does not
//
// [Door.Run] ends when its listener is closed, or is not a listener. Every other error of Accept
// concerns one connection or passes. A connection that its peer has aborted (ECONNABORTED) is
// ignored. After a lack of descriptors or memory (EMFILE, ENFILE, ENOBUFS, ENOMEM) the door waits
// [firstPause] at first, then twice as long each time, up to [longestPause].
//
// # The spare descriptor
//
// A process without a free descriptor can neither accept a connection nor tell it the reason: the
// connection stays in the kernel's queue and its client waits. So a door reserves one spare
// descriptor. It closes the spare, accepts the connection in its place, sends the reason, closes
// the connection, and opens the spare again.
//
// # The limit
//
// A connection keeps its place until its handler reports that it has freed everything. A connection
// without a place receives the reason and is closed. The reason never blocks the door: bytes that
// the socket does not take at once are dropped.
package admission
