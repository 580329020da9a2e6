//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// Probe returns the reason why there is no device to open, or nil.
func Probe() error {
	_, err := Devices()
	return err
}

// Devices returns the names of the RDMA devices. It returns an error if there are none.
func Devices() ([]string, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	return lib.devices()
}

func (l *library) devices() (names []string, err error) {
	err = l.eachDevice(func(d uintptr) bool {
		names = append(names, deviceName(d))
		return true
	})
	return names, err
}

func deviceName(d uintptr) string { return unix.ByteSliceToString(clib.At[ibvDevice](d).name[:]) }

// eachDevice calls visit for every device until visit returns false.
func (l *library) eachDevice(visit func(ibvDevice uintptr) bool) error {
	var n int32
	list, err := clib.CallErrno(l.getDeviceList, uintptr(unsafe.Pointer(&n)))
	if list == 0 {
		return fmt.Errorf("provider ibverbs: this kernel has no RDMA (ibv_get_device_list: %s): "+
			"load ib_uverbs and the NIC's driver, "+
			"or take softroce: %w", errnoText(err), verbs.ErrNotSupported)
	}
	defer clib.Call(l.freeDeviceList, list)
	if kernel := kernelDevices(sysfsDevices); n == 0 && len(kernel) > 0 {
		return fmt.Errorf("provider ibverbs: the kernel has %s, and libibverbs none of them: "+
			"install its drivers (apt-get install ibverbs-providers); "+
			"a container has to be given /dev/infiniband too: %w", strings.Join(kernel, ", "),
			verbs.ErrNotSupported)
	}
	if n == 0 {
		return fmt.Errorf("provider ibverbs: no RDMA device on this machine: load the NIC's "+
			"driver (lspci, ibv_devices), or make a software one (modprobe rdma_rxe; rdma link "+
			"add rxe0 type rxe netdev eth0): %w", verbs.ErrNotSupported)
	}
	for _, d := range unsafe.Slice(clib.At[uintptr](list), n) {
		if !visit(d) {
			break
		}
	}
	return nil
}

// openContext opens the device with this name, or the only one.
func (l *library) openContext(name string) (ctx uintptr, opened string, err error) {
	names, err := l.devices()
	if err != nil {
		return 0, "", err
	}
	if name == "" && len(names) > 1 {
		return 0, "", fmt.Errorf("provider ibverbs: which device? This machine has %s",
			strings.Join(names, ", "))
	}
	if name == "" {
		name = names[0]
	}
	found := false
	var openErr syscall.Errno
	err = l.eachDevice(func(d uintptr) bool {
		if found = deviceName(d) == name; found {
			ctx, openErr = clib.CallErrno(l.openDevice, d)
		}
		return !found
	})
	switch {
	case err != nil:
		return 0, "", err
	case ctx != 0:
		return ctx, name, nil
	case found:
		return 0, "", (&Device{name: name}).fail(openErr, "ibv_open_device")
	}
	return 0, "", fmt.Errorf("provider ibverbs: no device %q: this machine has %s", name,
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
