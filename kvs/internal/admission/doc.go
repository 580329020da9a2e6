// Package admission takes connections for a server that has to live through floods of them, and
// through a machine that has no descriptor left.
//
// # What ends, and what does not
//
// [Door.Run] ends when its listener is closed, or is no listener. Every other error of Accept
// belongs to one connection or passes: a connection that was given up by its peer (ECONNABORTED) is
// forgotten; a lack of descriptors or memory (EMFILE, ENFILE, ENOBUFS, ENOMEM) is waited out, first
// for [firstPause], then twice as long each time, up to [longestPause].
//
// # The spare descriptor
//
// A process without a free descriptor can neither take a connection nor tell it why: the connection
// stays in the kernel's queue and its client waits. So a door keeps one descriptor for nothing
// else. It gives that one up, takes the connection with it, tells it the reason, closes it and
// takes the descriptor back.
//
// # The limit
//
// A connection has its place until what serves it says that all it held is free. One that finds no
// place is told so and closed. Telling never waits: what the socket does not take at once is
// dropped.
package admission
