// Package quality tests whether a hash function spreads the keys of a store: an index needs more
// than speed. It tests Sum64, the 64 bits from which a store takes its tag, bucket and partition
// (see package hashbench). The keys have 8 and 16 bytes; they count from zero, little-endian, or
// are random.
//
// # Avalanche
//
// If any bit of the key changes, each bit of a good hash changes with a probability of one half.
// [Avalanche] flips every bit of many keys. It returns the greatest departure from one half over
// all pairs of bits, and the mean departure. With n keys, chance alone makes a pair depart by about
// 1/√n.
//
// # Buckets
//
// A bucket of MICA's index has seven slots. Bits 16 to 47 choose a key's bucket. [Overflow] returns
// the share of buckets with more than seven keys, at loads (keys over slots) of 0.5 to 1.5. Beside
// it stands the share of a perfectly random hash: with λ = 7 × load keys a bucket on average,
// P(Poisson(λ) > 7). A lower share is no fault: a function that deals counting keys out in turn
// overflows less than a random one.
package quality
