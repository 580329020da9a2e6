// Package outfile writes whole files: those that a user names, and those of a run folder.
//
// A command that fails in the middle of its output leaves the file unchanged. In a user's place, a
// link stays a link, and a file keeps its permissions. A device or a pipe is written to, and not
// replaced. A file of a run folder also survives a crash of the machine: see [Replace].
package outfile
