// Package smhasher times hash functions the way the SMHasher test suite does, to show what its figures are
// worth: [Measure] gives nanoseconds, and beside them what SMHasher would print on this core.
//
// # SMHasher's loops
//
// From its SpeedTest.cpp. A short key (up to 255 bytes) is hashed 200 times between two readings of a
// timer, each call waiting in part for the last one: the hash's lowest bit moves the
// key by four bytes. The difference is divided by 200, in whole numbers. Longer input is hashed once between two
// readings. Of many such trials those above three standard deviations from the mean are left out, and
// the mean of the rest is printed. Nothing is subtracted.
//
// # SMHasher's timer
//
// What it prints are "cycles". From its Platform.h:
//
//   - amd64: ticks of the TSC, which has the rate that the processor is sold with, not the one it runs at.
//   - arm64: CNTVCT_EL0 × 64. That counter ticks at 25 MHz to 1 GHz whatever the core does; the factor
//     was meant for another counter, of every 64th cycle. (rurban/smhasher, issue 241.)
//
// So a "cycle" is some other time on each machine, and bandwidths made from it, before September 2024 as if
// for 3 GHz, are too. Turning such cycles into time needs the timer's rate, not the core's.
package smhasher
