//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"dpukv/verbs"
)

const (
	permissionHint = "; are /dev/infiniband/uverbs* writable for this user?"
	// RoCE asks the network device's neighbour table for the peer's Ethernet address.
	neighbourHint = "; does the peer's address answer a ping from this port's network device?"
)

// hints suggest what to do about the most common errors.
var hints = map[syscall.Errno]string{
	unix.EPERM:  permissionHint,
	unix.EACCES: permissionHint,
	unix.EINVAL: "; does it exceed what ibv_devinfo -v lists for the device?",
	unix.ENOMEM: "; is the limit of locked memory high enough (ulimit -l), and does it " +
		"keep to what ibv_devinfo -v lists for the device?",
	unix.EBUSY:        "; close what was made from it first",
	unix.ETIMEDOUT:    neighbourHint,
	unix.EHOSTUNREACH: neighbourHint,
	unix.ENETUNREACH:  neighbourHint,
}

// fail returns the error of operation op. err holds the errno from C.
func (d *Device) fail(err error, op string, args ...any) error {
	op = fmt.Sprintf(op, args...)
	errno := errnoOf(err)
	if errno == 0 { // some calls of libibverbs fail without an errno
		return fmt.Errorf("%s: %s failed and gave no errno", d.name, op)
	}
	return fmt.Errorf("%s: %s: %s (%w)%s", d.name, op, unix.ErrnoName(errno), errno, hints[errno])
}

// errnoOf returns 0 if there is none.
func errnoOf(err error) (errno syscall.Errno) {
	errors.As(err, &errno)
	return errno
}

// errnoText returns the name and the meaning of an errno.
func errnoText(err error) string {
	errno := errnoOf(err)
	return fmt.Sprintf("%s, %v", unix.ErrnoName(errno), errno)
}

// check is fail for a call that returns an errno.
func (d *Device) check(rc int, op string, args ...any) error {
	if rc == 0 {
		return nil
	}
	return d.fail(syscall.Errno(max(rc, -rc)), op, args...)
}

// closed returns the error of an operation on a closed object.
func (d *Device) closed(what string) error {
	return fmt.Errorf("%s: %s: %w", d.name, what, verbs.ErrClosed)
}

// foreign returns the error for an object of another provider or device.
func (d *Device) foreign(what string, got any) error {
	return fmt.Errorf("%s: %s is %T of another device, or closed: want one made here", d.name, what,
		got)
}
