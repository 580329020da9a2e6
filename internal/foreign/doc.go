// Package foreign makes text from other parties safe to read and to show.
//
// A server's reason, a node's last words or a point of somebody else's run may contain terminal
// control sequences, and may be of any length. [Writer] stands before the terminal, so that
// everything passes it: it shows control characters as escapes, which stay valid within JSON.
// [Clip] limits a text where it comes in.
//
// Everything that another party sends is read up to a bound: [ReadAll], [Line] and [Limit] for
// bytes, [Budget] for a server's answers, [Run] and [Output] for what a command prints, [Tail] for
// its stderr. Beyond the bound they fail with [TooMuch].
package foreign
