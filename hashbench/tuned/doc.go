// Package tuned has CityHash and SpookyHash in pure Go that the compiler turns into about the
// code that a C compiler makes of the originals. They give the same bits as the modules
// that package hashbench offers beside them, which are 1.7 to 2.5 times as slow as C on long input.
// What a hash costs on an Arm core should be the core's doing, not that of Go's code generation.
//
// Three things make the difference:
//
//   - A block is read through a pointer to an array, (*[64]byte)(s), so that one bounds check serves
//     all of its loads.
//   - Rotations are [math/bits.RotateLeft64] with a constant, one instruction.
//   - State stays in local variables, never in structs that are passed by value.
//
// CityHash is that of Google's release 1.1, SpookyHash is Bob Jenkins' V2, seeds 0. Both are
// public: https://github.com/google/cityhash, http://burtleburtle.net/bob/hash/spooky.html.
package tuned
