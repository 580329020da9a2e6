// Command fuzzall runs every fuzz target of some packages, each for a while: what "make fuzz" does.
//
//	go run ./internal/fuzzall [-time 20s] PACKAGE...
//
// Its exit status is 1 only if something was found, or could not be built or run. On a busy machine
// Go's engine now and then fails a target with "context deadline exceeded" where its time has run
// out in the middle of an input, and nothing was found. Such a target is tried once more, and then
// noted.
package main
