// Package outfile writes the files that a user names.
//
// A command that fails in the middle of its output leaves the file unchanged. A link stays a link,
// and a file keeps its permissions. A device or a pipe is written to, and not replaced.
package outfile
