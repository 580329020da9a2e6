// Package toys adds a store, a datapath, a probe and a sweep key to dpukv, by the book: the section
// "Where to add what" of docs/ARCHITECTURE.md. It is all tests. They work on a copy of the source:
// the gates of make test pass there with the toys, and the binary that is built there uses each.
//
// The store is that of docs/tasks/own-store.md. The others are in testdata/toys.txtar. A file
// NAME.diff there is a change to NAME: a line with a blank in front is looked for, from the line
// before it on, and a line with a plus follows it.
package toys
