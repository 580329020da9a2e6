// Package survey reads the facts of a node that decide which points the node can run: network
// interfaces, RDMA devices and their GIDs, the mode of a BlueField, and the versions of tools.
//
//	what          from
//	interfaces    the kernel, of the network namespace at hand; the driver by ethtool's ioctl
//	RDMA devices  /sys/class/infiniband
//	BlueField     its PCI IDs in /sys/bus/pci/devices; its mode from mlxconfig, else from the interfaces
//	tools         each asked for its version
//
// The facts are reported as found. No measurement needs them, and unreadable ones stay empty.
// Package machine has the other facts of a machine (CPUs, kernel, memory).
package survey
