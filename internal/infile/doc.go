// Package infile reads the files that a user names.
//
// Such a path can lead to anything: an endless device, a pipe without a writer, a folder, a file of
// any size. [Read] and [Open] want a regular file. [ReadInput] takes a pipe too, such as a shell's
// <(command), and ends when its context does. Every read has a limit, and an error names the path,
// what was found and what is allowed.
package infile
