package shm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
)

// TestOnlyMemoryFilesAreOpened checks that a peer's handle of a device, a pipe or a file on disk is
// never opened, not even briefly.
func TestOnlyMemoryFilesAreOpened(t *testing.T) {
	folder := t.TempDir()
	fifo, plain := filepath.Join(folder, "fifo"), filepath.Join(folder, "plain")
	must.Do(t, errors.Join(unix.Mkfifo(fifo, 0o600), os.WriteFile(plain, make([]byte, 1<<20), 0o600)))
	watch := must.Get(unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK))(t)
	defer unix.Close(watch)
	for _, path := range []string{fifo, plain, "/dev/null", folder} {
		flags := unix.O_RDWR
		if path == folder {
			flags = unix.O_RDONLY
		}
		fd := must.Get(unix.Open(path, flags|unix.O_CLOEXEC, 0))(t)
		defer unix.Close(fd)
		if path != "/dev/null" {
			must.Get(unix.InotifyAddWatch(watch, path, unix.IN_OPEN))(t)
		}
		h := handle{pid: os.Getpid(), fd: fd}
		if _, err := openArena(h); !errors.Is(err, errNoMemfd) {
			t.Errorf("%s: %v", path, err)
		}
		if reaches(h.pid, h.fd, 1, 1) {
			t.Errorf("%s passes for a device", path)
		}
	}
	if n, err := unix.Read(watch, make([]byte, 4096)); err != unix.EAGAIN {
		t.Errorf("something was opened: %d bytes of events, %v", n, err)
	}
}

// TestPeerCouldShrink checks that an arena that its owner could truncate is refused. After a
// truncation, an access would end the process.
func TestPeerCouldShrink(t *testing.T) {
	d := openDevice(t)
	size := int(heapStart) + pageBytes
	fd := must.Get(unix.MemfdCreate("dpukv-shm", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING))(t)
	defer unix.Close(fd)
	head := *d.arena.header()
	head.size = uint64(size)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&head)), unsafe.Sizeof(head))
	if _, err := unix.Pwrite(fd, bytes, 0); err != nil {
		t.Fatal(err)
	}
	must.Do(t, unix.Ftruncate(fd, int64(size)))
	h := handle{os.Getpid(), fd, head.id}
	for _, seals := range []int{0, unix.F_SEAL_GROW, unix.F_SEAL_GROW | unix.F_SEAL_SHRINK} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
			t.Fatal(err)
		}
		a, err := openArena(h)
		if sealed := seals&unix.F_SEAL_SHRINK != 0; (err == nil) != sealed {
			t.Errorf("seals %#x: %v", seals, err)
		}
		if err == nil {
			must.Get(0, a.unmap())(t)
		} else if !strings.Contains(fmt.Sprint(err), "another object") {
			t.Error(err)
		}
	}
}
