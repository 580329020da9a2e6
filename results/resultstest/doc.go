// Package resultstest holds the test helpers that the packages on top of results share.
//
//	points.go    points whose figures are made up and reproducible
//	local.go     the same of one machine that plays both ends
//	golden.go    compares output with a file in testdata; "go test -update" writes the file
package resultstest
