// Package pipetest is what a store whose requests are pipelined must pass, and a way to break its
// connections. Only tests import it.
package pipetest
