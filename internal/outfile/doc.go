// Package outfile writes whole files that a user names. Package folder writes those of a folder.
//
// A command that fails in the middle of its output leaves the file unchanged. In a user's place, a
// link stays a link, and a file keeps its permissions. A device or a pipe is written to, and not
// replaced.
package outfile
