// Package verbstest checks that two verbs devices interoperate. It runs every operation over every
// transport service, in both directions, and verifies the received bytes. It also checks that each
// device refuses illegal requests.
//
// [Drive] runs the cases, [Serve] is the peer. The two may use one device in one process
// ([Loopback]), or different providers on different machines: they share only a side channel.
//
// An unreliable service may lose a message, so its cases are tried a few times. Data that does
// arrive must be right.
package verbstest
