//go:build ibverbs && linux

package ibverbs

import "os"

// sysfsDevices is where the kernel lists its RDMA devices.
const sysfsDevices = "/sys/class/infiniband"

// kernelDevices are the names listed there: a library without a device's driver does not see it.
func kernelDevices(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // a kernel without RDMA has no such folder
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
