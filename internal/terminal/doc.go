// Package terminal tells whether a writer is a terminal, and rewrites a line there.
package terminal
