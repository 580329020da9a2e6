// Package foreign makes text from other parties safe to show.
//
// A server's reason, a node's last words or a point of somebody else's run may contain terminal
// control sequences, and may be of any length. [Writer] stands before the terminal, so that
// everything passes it: it shows control characters as escapes, which stay valid within JSON.
// [Clip] limits a text where it comes in.
package foreign
