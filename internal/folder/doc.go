// Package folder reads and writes files in a folder that others may have written, such as a run
// folder that somebody sent.
//
// The user names the folder, also by a link. In the folder, no link is followed, wherever it leads:
// a file of the folder is the folder's own. So nobody makes a command read or overwrite a file
// elsewhere by what a folder has in it. Pipes, devices, sockets, files with a second name (hard
// links), and folders in a file's place are refused as well. No call waits for a pipe's other end.
//
// A name is relative to the folder, with slashes. All calls go through an [os.Root], so that also a
// folder that changes meanwhile leads to nothing outside.
package folder
