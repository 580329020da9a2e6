// Package smhasher times hash functions as the SMHasher test suite does, to show the meaning of
// that suite's figures. [Measure] returns nanoseconds, and beside them the figure that SMHasher
// would print on this core.
//
// # SMHasher's loops
//
// The loops are those of its SpeedTest.cpp. A short key (up to 255 bytes) is hashed 200 times
// between two readings of a timer. Each call waits in part for the last one: the hash's lowest bit
// moves the key by four bytes. The difference is divided by 200, in whole numbers. Longer input is
// hashed once between two readings. Of many such trials, those more than three standard deviations
// above the mean are left out. SMHasher prints the mean of the rest and subtracts nothing.
//
// # SMHasher's timer
//
// SMHasher prints "cycles". From its Platform.h:
//
//   - amd64: ticks of the TSC, which has the rate that the processor is sold with, not the one it
//     runs at.
//   - arm64: CNTVCT_EL0 × 64. That counter ticks at 25 MHz to 1 GHz whatever the core does; the
//     factor was meant for another counter, of every 64th cycle. (rurban/smhasher, issue 241.)
//
// So a "cycle" is a different time on each machine. Bandwidths made from it are just as different;
// before September 2024 they assume 3 GHz. Turning such cycles into time needs the timer's rate,
// not the core's.
package smhasher
