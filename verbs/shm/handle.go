package shm

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// handle names an arena to the processes of this machine: "shm:PID:FD:ID".
type handle struct {
	pid, fd int
	id      [16]byte
}

const handleScheme = "shm"

func (h handle) String() string {
	return fmt.Sprintf("%s:%d:%d:%s", handleScheme, h.pid, h.fd, hex.EncodeToString(h.id[:]))
}

func parseHandle(text string) (h handle, err error) {
	bad := fmt.Errorf("handle %q: want %s:PID:FD:ID, as an shm device on this machine tells it", text, handleScheme)
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

// open opens the arena. Whether it is the right one shows only in its header.
func (h handle) open() (int, error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", h.pid, h.fd)
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, fmt.Errorf("open %s: %w: the process is gone, or runs on another machine or in another container", path, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return -1, fmt.Errorf("open %s: %w: memory is shared only between processes of one user, or by root", path, err)
	case err != nil:
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	return fd, nil
}

// reaches reports whether a process still has a device with this tag, and the device a queue pair with this number.
func reaches(pid, fd int, tag uint64, queue uint32) bool {
	opened, err := handle{pid: pid, fd: fd}.open()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
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
