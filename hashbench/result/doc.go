// Package result defines the results of hash measurements, and reads and writes them as JSON.
// Package measure fills a [Report], package report shows it.
//
// A [Result] is one function in one [Case]. A case is a length (or a range of random lengths), an
// alignment, and a [Mode]: calls that wait for each other (latency) or do not (throughput). A
// store's client hashes one key after the other, and so comes closer to throughput.
//
// A figure is nanoseconds a call: the median of its rounds, with the 95 % confidence interval of
// that median. The rounds are interleaved with those of all other functions. The latency loop's
// own cost is measured in the same rounds and subtracted; [Result] has both figures. Throughput
// contains its loop: on a CPU that works ahead, the loop and the hash function overlap, and no
// subtraction can tell them apart.
//
// The unit is the nanosecond, because a "cycle" differs from tool to tool. [Clock] names the source
// of the displayed cycles.
//
// Two results differ only if their intervals do not touch ([Interval.Touches]).
package result
