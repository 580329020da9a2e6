package softroce

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// meminfo reads SO_MEMINFO, for which x/sys/unix has the name but no call.
func meminfo(fd int, info *[9]uint32) error {
	n := uint32(unsafe.Sizeof(*info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(info)), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
