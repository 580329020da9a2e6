// Package resultstest is what tests of packages built on package results share.
//
//	points.go    points and run folders whose figures are made up and reproducible
//	golden.go    what was written, against a file in testdata; "go test -update" writes it
//	browser.go   a page in Chromium: what it shows, what it complains of, what it asks the network for
package resultstest
