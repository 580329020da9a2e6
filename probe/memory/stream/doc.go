// Package stream measures the bandwidth of memory with the four kernels of STREAM (McCalpin, 1995).
//
// An array has at least four times the size of the last-level caches in use, as STREAM's rules ask
// ([AutoBytes]). Each thread has its part of the arrays, in memory that it touched first, on a CPU
// of its own. A pass takes from the first thread's begin to the last one's end. Afterwards each
// element is checked. Traffic is counted as STREAM counts it: what the code reads and writes. Most
// processors also read a line before they write it, so that the memory moves more.
//
// # Codes
//
//	vector       the widest vectors of the processor, as an optimising compiler makes them
//	nontemporal  the same, with stores that bypass the caches: no line is read before it is written
//	study        an element at a time, with the index in memory, as gcc -O0 makes it
//
// The study built STREAM without -O: its figures are those of the third code, which are lower on a
// core that memory does not limit.
//
// The assembly is in a file for each architecture: kernels, study, and for arm64 nontemporal. A
// build with the tag purego has loops in Go, without nontemporal ones, and says so in its warnings.
package stream
