// Package packets counts what sockets and verbs devices sent and received. It imports nothing, so
// that whoever counts and whoever shows the counts can share its type.
package packets
