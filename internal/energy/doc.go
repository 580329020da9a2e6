// Package energy reads the energy that a machine's processors and memory used. It reads the
// counters of RAPL below /sys/class/powercap. Processors of Intel and AMD have them. Virtual
// machines and Arm processors have none. Since Linux 5.10, only root can read them.
//
// A counter covers everything in its package: idle cores, other programs, and a client on the same
// machine. It does not cover NICs, cards, fans and power supplies.
package energy
