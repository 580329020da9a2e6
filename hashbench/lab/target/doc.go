// Command target is the traced program of package model. It calls one hash function in the loops
// that package measure times.
//
//	target FUNCTION latency|throughput BYTES CALLS
//
// It is built for arm64 and runs under an emulator that logs each instruction's address. Therefore
// it does little else and prints nothing. FUNCTION may also be a chain of package measure, from
// which the model derives the cost of the latency loop.
package main
