// Package simulation drives a server through worlds that a seed decides: a clock, system calls
// that fail, and clients, good and hostile, in turn on one goroutine.
//
// A simulation is a function of a [World] that takes steps and checks after each of them what must
// hold. [Run] runs it for several seeds. A failure prints its seed and the last events, and
//
//	go test ./kvs/mica -run Simulation -simulate.seed 17
//
// repeats it, as long as the simulation draws every choice from its World.
//
// A simulation that finds nothing may be blind. [PutBack] shows that it is not: it puts a mended
// fault back into the source, runs the simulation again, and wants it to fail.
package simulation
