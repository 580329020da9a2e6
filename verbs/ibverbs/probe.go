//go:build ibverbs && linux

package ibverbs

// #cgo LDFLAGS: -libverbs
// #include "shim.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"dpukv/verbs"
)

// Probe returns the reason why there is no device to open, or nil.
func Probe() error {
	_, err := Devices()
	return err
}

// Devices returns the names of the RDMA devices. It returns an error if there are none.
func Devices() ([]string, error) {
	var names []string
	err := eachDevice(func(d *C.struct_ibv_device) bool {
		names = append(names, C.GoString(C.ibv_get_device_name(d)))
		return true
	})
	return names, err
}

// eachDevice calls visit for every device until visit returns false.
func eachDevice(visit func(*C.struct_ibv_device) bool) error {
	var n C.int
	list, err := C.ibv_get_device_list(&n)
	if list == nil {
		return fmt.Errorf("provider ibverbs: this kernel has no RDMA (ibv_get_device_list: %s): "+
			"load ib_uverbs and the NIC's driver, "+
			"or take softroce: %w", errnoText(err), verbs.ErrNotSupported)
	}
	defer C.ibv_free_device_list(list)
	if kernel := kernelDevices(sysfsDevices); n == 0 && len(kernel) > 0 {
		return fmt.Errorf("provider ibverbs: the kernel has %s, and libibverbs none of them: "+
			"install its drivers (apt-get install ibverbs-providers); "+
			"a container has to be given /dev/infiniband too: %w", strings.Join(kernel, ", "),
			verbs.ErrNotSupported)
	}
	if n == 0 {
		return fmt.Errorf("provider ibverbs: no RDMA device on this machine: load the NIC's "+
			"driver (lspci, ibv_devices), "+
			"or make a software one (modprobe rdma_rxe; rdma link add rxe0 type rxe netdev "+
			"eth0): %w", verbs.ErrNotSupported)
	}
	for _, d := range unsafe.Slice(list, n) {
		if !visit(d) {
			break
		}
	}
	return nil
}

// openContext opens the device with this name, or the only one.
func openContext(name string) (ctx *C.struct_ibv_context, opened string, err error) {
	names, err := Devices()
	if err != nil {
		return nil, "", err
	}
	if name == "" && len(names) > 1 {
		return nil, "", fmt.Errorf("provider ibverbs: which device? This machine has %s",
			strings.Join(names, ", "))
	}
	if name == "" {
		name = names[0]
	}
	found := false
	var openErr error
	err = eachDevice(func(d *C.struct_ibv_device) bool {
		if found = C.GoString(C.ibv_get_device_name(d)) == name; found {
			ctx, openErr = C.ibv_open_device(d)
		}
		return !found
	})
	switch {
	case err != nil:
		return nil, "", err
	case ctx != nil:
		return ctx, name, nil
	case found:
		return nil, "", (&Device{name: name}).fail(openErr, "ibv_open_device")
	}
	return nil, "", fmt.Errorf("provider ibverbs: no device %q: this machine has %s", name,
		strings.Join(names, ", "))
}

// sysfsDevices is where the kernel lists its RDMA devices.
const sysfsDevices = "/sys/class/infiniband"

// kernelDevices returns the names listed there. libibverbs does not list a device without a
// user-space driver.
func kernelDevices(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // a kernel without RDMA has no such folder
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
