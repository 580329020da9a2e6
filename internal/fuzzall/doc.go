// Command fuzzall runs every fuzz target of some packages, each for a limited time. It is the
// command behind "make fuzz".
//
//	go run ./internal/fuzzall [-time 20s] PACKAGE...
//
// Its exit status is 1 only for a failing input, a failed build or a failed run. On a busy machine
// Go's engine now and then fails a target with "context deadline exceeded". Its time ran out in the
// middle of an input, and no input failed. Fuzzall tries such a target once more, and then reports
// it.
package main
