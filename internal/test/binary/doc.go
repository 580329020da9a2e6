// Package binary builds dpukv for tests that start it as a process of its own.
package binary
