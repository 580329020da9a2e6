// Package stream measures the bandwidth of memory with the four kernels of STREAM (McCalpin, 1995).
//
// The arrays are at least four times the last-level cache, as STREAM's rules ask. Each thread has
// its part of the arrays, in memory that it touched first, on a CPU of its own. A pass begins at a
// barrier, and ends with the last thread. Traffic is counted as STREAM counts it: what the code reads
// and writes. Most processors also read a line before they write it, so that a bus moves more.
//
// [Vector] is what an optimising compiler makes. The study built STREAM without -O: [Study] has that
// code, whose figures are lower on a core that is not limited by memory.
package stream
