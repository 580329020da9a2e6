// Package survey reads what a node has that decides which points it can run: network interfaces, RDMA devices and
// their GIDs, the mode of a BlueField, the versions of tools.
//
//	what          from
//	interfaces    the kernel, of the network namespace at hand; the driver by ethtool's ioctl
//	RDMA devices  /sys/class/infiniband
//	BlueField     its PCI IDs in /sys/bus/pci/devices; its mode from mlxconfig, else from the interfaces
//	tools         each asked for its version
//
// All of it is told as found: nothing here is needed to measure, and what cannot be read stays empty. What a
// machine is apart from that (CPUs, kernel, memory) is in package machine.
package survey
