// Package energy reads the energy that a machine's processors and memory used: the counters of RAPL
// below /sys/class/powercap, which Intel's and AMD's processors have. Since Linux 5.10 only root may
// read them. Virtual machines and Arm processors have none.
//
// A counter covers everything in its package: idle cores, other programs, and a client on the same
// machine. It does not cover NICs, cards, fans and power supplies.
package energy
