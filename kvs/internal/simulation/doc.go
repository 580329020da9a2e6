// Package simulation drives a server through worlds that a seed determines: a clock, system calls
// that fail, and good and hostile clients, in turn on one goroutine.
//
// A simulation is a function of a [World]. It takes steps and checks the invariants after each
// step. [Run] runs it for several seeds. A failure prints its seed and the last events, and
//
//	go test ./kvs/mica -run Simulation -simulate.seed 17
//
// repeats it, if the simulation draws every choice from its World.
//
// A simulation that finds nothing may be blind. [PutBack] proves that it is not: it puts a fixed
// fault back into the source, runs the simulation again, and expects it to fail.
package simulation
