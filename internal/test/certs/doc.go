// Package certs makes the certificates of a test: a CA, a server's certificate for the loopback,
// and a client's.
package certs
