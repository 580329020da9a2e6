// Package pages follows the documentation as a reader would: the fenced blocks of a page, from top
// to bottom, in one folder.
//
//	```sh                 each line runs by itself and must succeed
//	```sh bare            the same, as root on a machine that has nothing yet but a release's files; else not run
//	```sh elsewhere WHAT  needs WHAT, which no test has: not run
//	```yaml FILE          is written to FILE
//	```go FILE            is a file of dpukv's source: not run; a test takes it with [File]
//	```diff FILE          is a change to such a file: the same
//
// The machine hears of the lines that are not run. Two tests follow pages: TestDocs of cmd/dpukv
// follows all of them on this machine, and TestRelease of packaging follows
// docs/tasks/first-sweep.md in a bare Debian.
package pages
