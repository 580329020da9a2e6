// Package layout checks the shape of the repository against docs/ARCHITECTURE.md.
//
//	imports   a package imports only what its row of the table allows, and a row only rows below it
//	folders   each has a doc.go and at most 25 source files, generated ones and tests apart
//	names     a test file is named after the source file that it tests, four times of five
//	paths     each file and folder that docs/ARCHITECTURE.md names exists
//
// The checks read every Go file of the module regardless of its build tags, and none of testdata.
// After an intended change to imports,
//
//	go test ./internal/test/layout -run TestImports -update
//
// writes the table anew: it keeps the first column, adds a row for a package without one, removes a
// row without a package, and sorts the rows.
package layout
