// Package layout checks the shape of the repository. It is all tests:
//
//	layers   a package imports only packages of layers below its own
//	cycles   few files of a package refer to each other's names in a circle
//	folders  each has a doc.go; a test file is named after what it tests, three times of four
//	bounds   what others send is read with a bound; the exceptions are listed, each with its own
//	lines    none is longer than 100 columns, 120 in tests
//	pages    what docs/ARCHITECTURE.md names exists, as do the files and headings that a page links to
//
// The checks read every Go file of the module regardless of its build tags, and none of testdata.
// Cycles alone are those of a build for this machine.
//
// With -v, TestCycles prints each package's largest cycle, and how many arrows between its files
// point back up.
package layout
