// Package reference calls the hash functions' published C and C++ implementations. It compares the
// bits and the times of Go's implementations with them. It is for tests; measuring does not need
// it.
//
// The sources are not part of this repository. [Build] compiles csrc/reference.cc with the
// available sources into one program:
//
//	cityhash/src/city.cc      in the sources' folder, from https://github.com/google/cityhash
//	smhasher/                 MurmurHash2.cpp, MurmurHash3.cpp, SpookyV2.cpp, from https://github.com/rurban/smhasher
//	xxhash.h, farmhash.h,     Debian's libxxhash-dev, libfarmhash-dev, libhighwayhash-dev, libssl-dev
//	highwayhash/, openssl/
//
// The program runs the same loops as package measure, on the same CPU, timed by its own thread's
// CPU clock. It answers over a pipe, so one run interleaves its rounds with Go's
// ([Process.Contender]).
package reference
