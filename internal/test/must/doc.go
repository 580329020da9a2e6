// Package must ends a test at an error that no test expects.
package must
