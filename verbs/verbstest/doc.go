// Package verbstest checks that two verbs devices understand each other: every operation over every
// transport service, in both directions, with the bytes verified where they arrived, and what must
// be refused is refused.
//
// [Drive] runs the cases, [Serve] plays the peer. The two may be one device in one process
// ([Loopback]), or different providers on different machines: all they share is a side channel.
//
// An unreliable service may lose a message, so its cases are tried a few times; what does arrive
// must be right.
package verbstest
