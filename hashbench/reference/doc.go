// Package reference calls the hash functions' published C and C++ implementations, to compare Go's with them: the same
// bits, and how much time over how much. It is for tests; nothing of it is needed to measure.
//
// The sources are not part of this repository. [Build] compiles csrc/reference.cc with those that it
// finds, into one program:
//
//	cityhash/src/city.cc      in the sources' folder, from https://github.com/google/cityhash
//	smhasher/                 MurmurHash2.cpp, MurmurHash3.cpp, SpookyV2.cpp, from https://github.com/rurban/smhasher
//	xxhash.h, farmhash.h,     Debian's libxxhash-dev, libfarmhash-dev, libhighwayhash-dev, libssl-dev
//	highwayhash/, openssl/
//
// The program runs the same loops as package measure, on the same CPU, timed by its own thread's CPU clock,
// and answers over a pipe; so its rounds are interleaved with Go's in one run ([Process.Contender]).
package reference
