// Package report holds what was measured of hash functions and turns it into what can be read:
// JSON, a table, a comparison of two machines, benchstat's text, figures. It knows
// nothing of how anything was measured.
//
// # What a result is
//
// A [Result] is one function in one [Case]: a length (or a range of random lengths), an
// alignment, and whether calls wait for each other (latency) or not (throughput). Those are two
// different figures, and a store's client, which hashes one key after the other, pays rather the second.
//
// The figure is nanoseconds a call, as the median of rounds that were interleaved with those of all
// other functions, with the 95 % confidence interval of that median. What the measuring loop itself
// costs is measured the same way, with a function that does nothing, and is
// subtracted; [Result] has both. Nanoseconds are the unit: what a "cycle" is differs from
// tool to tool. Where cycles are shown, [Clock] says what they were made from.
//
// # Intervals
//
// Two results are told apart only if their intervals do not touch. In a ratio of two
// machines the interval goes from the least to the greatest that both intervals allow.
package report
