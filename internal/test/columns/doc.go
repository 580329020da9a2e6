// Columns checks that no line of Go code is longer than 100 columns, 120 in tests. A tab counts as
// 4 columns.
//
//	go run ./internal/test/columns [DIR…]           names each line that is too long
//	go run ./internal/test/columns -rewrap [DIR…]   wraps the comments that it can
//
// DIR is the folder above, with all folders below it, unless another is named. Left out are folders
// named testdata or vendor, those that begin with a dot or an underscore, and generated files.
//
// # Exemptions
//
// These count nothing, in code and in comments:
//
//   - a URL
//   - the tag of a struct field
//   - a raw string: its lines can't be split
//
// and these lines have no limit:
//
//   - an indented line of a // comment: a table, a drawing or code
//   - a directive: //go:build, //go:generate, //export and so on
//   - a comment below "// Output:", in a test: it is what the example prints
//
// An interpreted string is split with +, and a trailing comment moves to the line above.
//
// # Rewrapping
//
// -rewrap joins the lines of a paragraph in // comments and breaks them anew, if one of them is too
// long. It never changes a word, and leaves these as they are:
//
//   - comments after code and those on the line below, and /* */ comments
//   - indented lines, which are code, tables, lists and drawings
//   - paragraphs with a list item, a heading, a link definition, two blanks in a row, or a drawing
//   - paragraphs that look like code
//   - directives, and what stands above import "C"
//   - what an example prints
//
// A line never begins with a word that would make it a list item, a heading or a directive. A file
// is written only if its code has not changed and gofmt leaves it as it is.
package main
