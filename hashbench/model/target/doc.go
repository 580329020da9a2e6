// Command target is what package model traces: it calls one hash function in the loops that package measure times.
//
//	target FUNCTION latency|throughput BYTES CALLS
//
// It is built for arm64 and runs under an emulator that logs each instruction's address. It therefore does little else, prints nothing, and FUNCTION may
// also be one of package measure's own loops' functions, whose cost is to be taken off.
package main
