package keeper

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Commands of <linux/ethtool.h> that set or read one feature each.
const (
	getTxChecksum, setTxChecksum     = 0x16, 0x17
	getTCPSegments, setTCPSegments   = 0x1e, 0x1f
	getSegmentation, setSegmentation = 0x23, 0x24
)

// setOffloads turns an interface's checksums and segmentation on, or leaves both to the senders.
// Then it reads the settings back: the kernel drops a feature that lacks another one without an
// error.
func setOffloads(socket int, name string, on bool) error {
	want := uint32(0)
	if on {
		want = 1
	}
	features := []struct {
		name     string
		get, set uint32
	}{
		{"tx checksum", getTxChecksum, setTxChecksum}, // first: the others need it
		{"segmentation", getSegmentation, setSegmentation},
		{"TCP segmentation", getTCPSegments, setTCPSegments},
	}
	for _, f := range features {
		if got, err := ethtool(socket, name, f.get, 0); err == nil && got == want {
			continue
		}
		if _, err := ethtool(socket, name, f.set, want); err != nil {
			return fmt.Errorf("set the offload of %s to %d: %w", f.name, want, err)
		}
	}
	for _, f := range features {
		if got, err := ethtool(socket, name, f.get, 0); err != nil || got != want {
			return fmt.Errorf("the offload of %s was set to %d and is %d (%v)", f.name, want, got,
				err)
		}
	}
	return nil
}

// ethtool makes one SIOCETHTOOL call with a struct ethtool_value.
func ethtool(socket int, name string, command, data uint32) (uint32, error) {
	value := struct{ command, data uint32 }{command, data}
	request := struct { // struct ifreq
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}{data: unsafe.Pointer(&value)}
	copy(request.name[:unix.IFNAMSIZ-1], name)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL,
		uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return 0, errno
	}
	return value.data, nil
}
