package shm

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// handle names an arena for the processes of this machine: "shm:PID:FD:ID".
type handle struct {
	pid, fd int
	id      [16]byte
}

const handleScheme = "shm"

func (h handle) String() string {
	return fmt.Sprintf("%s:%d:%d:%s", handleScheme, h.pid, h.fd, hex.EncodeToString(h.id[:]))
}

func parseHandle(text string) (h handle, err error) {
	bad := fmt.Errorf("handle: found %q, allowed: %s:PID:FD:ID, as an shm device on this machine "+
		"prints it",
		text, handleScheme)
	parts := strings.Split(text, ":")
	if len(parts) != 4 || parts[0] != handleScheme {
		return h, bad
	}
	pid, pidErr := strconv.ParseUint(parts[1], 10, 31)
	fd, fdErr := strconv.ParseUint(parts[2], 10, 31)
	id, idErr := hex.DecodeString(parts[3])
	if pidErr != nil || fdErr != nil || idErr != nil || len(id) != len(h.id) {
		return h, bad
	}
	return handle{int(pid), int(fd), [16]byte(id)}, nil
}

// errNoMemfd refuses other files: opening one could block, or have effects on a device.
var errNoMemfd = errors.New("the file is no memory file (memfd_create)")

// open opens the arena. Only its header shows whether it is the right one. A peer chooses the
// process and the descriptor, so open first verifies that the file is a memory file.
func (h handle) open() (int, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", h.pid, h.fd)
	fd, err := openMemfd(path)
	switch {
	case errors.Is(err, errNoMemfd):
		return -1, fmt.Errorf("open %s: %w: use a handle that an shm device on this machine prints",
			path, err)
	case errors.Is(err, fs.ErrNotExist):
		return -1, fmt.Errorf("open %s: %w: the process is gone, or runs on another machine or "+
			"in another container", path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return -1, fmt.Errorf("open %s: %w: only processes of one user, or root, share "+
			"memory", path, err)
	case err != nil:
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	return fd, nil
}

// openMemfd opens a file for reading and writing if it is a memory file.
func openMemfd(path string) (int, error) {
	found, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0) // does not open the file itself
	if err != nil {
		return -1, err
	}
	defer unix.Close(found)
	want, err := memfdDevice()
	if err != nil {
		return -1, err
	}
	var st unix.Statx_t
	// Ask only for fields that the kernel knows by itself: a file system in user space may never
	// answer.
	const known = unix.AT_EMPTY_PATH | unix.AT_STATX_DONT_SYNC
	if err := unix.Statx(found, "", known, unix.STATX_TYPE, &st); err != nil {
		return -1, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || unix.Mkdev(st.Dev_major, st.Dev_minor) != want {
		return -1, errNoMemfd
	}
	return unix.Open(fmt.Sprintf("/proc/self/fd/%d", found), unix.O_RDWR|unix.O_CLOEXEC, 0)
}

// memfdDevice is the number of the kernel's file system of memory files.
var memfdDevice = sync.OnceValues(func() (uint64, error) {
	fd, err := unix.MemfdCreate("dpukv-shm", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("memfd_create: %w", err)
	}
	defer unix.Close(fd)
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_TYPE, &st); err != nil {
		return 0, err
	}
	return unix.Mkdev(st.Dev_major, st.Dev_minor), nil
})

// reachesAsked counts calls of reaches, for tests.
var reachesAsked atomic.Int64

// reaches reports whether a process still has a device with this tag, and the device a queue pair
// with this number.
func reaches(pid, fd int, tag uint64, queue uint32) bool {
	reachesAsked.Add(1)
	opened, err := handle{pid: pid, fd: fd}.open()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoMemfd)
	}
	defer unix.Close(opened)
	h, err := readHeader(opened)
	if err != nil || h.magic != magic || tagOf(h.id) != tag || h.closed.Load() != 0 {
		return false
	}
	var number [4]byte
	at := int64(queuesAt) + int64(queue&indexMask)*int64(unsafe.Sizeof(queueEntry{}))
	_, err = unix.Pread(opened, number[:], at)
	return err == nil && binary.NativeEndian.Uint32(number[:]) == queue
}
