// Package reference generates the pages of docs/reference from the code:
//
//	sweep-keys.md    the table of keys in placement/sweep
//	testbed-keys.md  the tables of keys in placement/testbed
//	point-fields.md  the struct fields of results.Point, with their JSON tags and comments
//	commands.md      the command tree: what --help prints
//
// TestReference of cmd/dpukv compares the pages with the files. After a change to the code,
//
//	go test ./cmd/dpukv -run TestReference -update
//
// writes the files anew.
//
// # Comments of fields
//
// The meaning of a field is its comment. A doc comment "Name is the share …" becomes "The share …";
// a doc link [Point.Name], also with a package before it, becomes the JSON name. A comment in a
// struct with a blank line below it is a heading. A field without a comment is an error.
package reference
