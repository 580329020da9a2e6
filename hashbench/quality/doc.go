// Package quality tells whether a hash function spreads the keys of a store: speed is not all that an
// index wants. It looks at Sum64, the 64 bits that a store takes its tag, bucket and partition from
// (see package hashbench), for keys of 8 and 16 bytes that count from zero, little-endian, and for random ones.
//
// # Avalanche
//
// Of a good hash each bit changes with a probability of one half if any bit of the key does. [Avalanche] flips every
// bit of many keys and gives the greatest departure from that of any pair of bits, and the mean one. With n keys
// chance alone makes a pair depart by about 1/√n.
//
// # Buckets
//
// A bucket of MICA's index has seven slots; keys are thrown at buckets by bits 16 to 47. [Overflow] gives the share
// of buckets that get more than seven, at loads (keys over slots) of 0.5 to 1.5, beside the share that a
// perfectly random hash would have: with λ = 7 × load keys a bucket on average, P(Poisson(λ) > 7). A share below that is no
// fault: a function that deals counting keys out in turn overflows less than a random one.
package quality
