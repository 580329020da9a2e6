// Package dpdk knows DPDK's programs. It knows testpmd, DPDK's own forwarder, with its statistics,
// and the drivers by which DPDK takes packets from the kernel's interfaces.
package dpdk
