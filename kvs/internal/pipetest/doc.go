// Package pipetest has the tests that every store with pipelined requests must pass, and a proxy
// that breaks connections. Only tests import it.
package pipetest
