// Package tuned has CityHash and SpookyHash in pure Go. The Go compiler turns them into about the
// code that a C compiler makes of the originals. They give the same bits as the modules beside them
// in package hashbench, which are 1.7 to 2.5 times as slow as C on long input. The cost of a hash
// on an Arm core should come from the core, not from Go's code generation.
//
// Three things make the difference:
//
//   - A block is read through a pointer to an array, (*[64]byte)(s). One bounds check then serves
//     all of its loads.
//   - Rotations are [math/bits.RotateLeft64] with a constant, one instruction.
//   - State stays in local variables, never in structs that are passed by value.
//
// CityHash is that of Google's release 1.1, SpookyHash is Bob Jenkins' V2, seeds 0. Both are
// public: https://github.com/google/cityhash, http://burtleburtle.net/bob/hash/spooky.html.
package tuned
