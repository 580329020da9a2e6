// Package dpdk knows DPDK's programs: its own forwarder, testpmd, with the statistics that it
// prints, and the drivers by which DPDK takes packets from the kernel's interfaces.
package dpdk
