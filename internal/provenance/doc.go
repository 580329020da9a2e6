// Package provenance says where a result comes from: the source of this binary ([ThisBuild]), and
// who started it with which command ([Begin]).
//
// The go command records the commit in the binaries of "go build", and not in those of "go run" and
// "go test". For a binary that go run has just built, the commit is that of the checkout, read by
// git at the start. What is not known is called unknown, with a warning.
package provenance
