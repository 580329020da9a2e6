package kerneltest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// MemoryGroup is a new cgroup with a limit of memory, of either version: what writes its process ID
// to cgroup.procs there is ended by the kernel when it takes more. Without root the test is skipped.
func MemoryGroup(t testing.TB, bytes int) string {
	t.Helper()
	root, limit := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	var fs unix.Statfs_t
	if err := unix.Statfs("/sys/fs/cgroup", &fs); err == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC {
		root, limit = "/sys/fs/cgroup", "memory.max"
	}
	group, err := newGroup(root, limit, bytes)
	if err != nil {
		t.Skipf("needs a cgroup of its own, with a limit of memory (root): %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(group) }) // it is empty once its process has ended
	return group
}

func newGroup(root, limit string, bytes int) (string, error) {
	group, err := os.MkdirTemp(root, "dpukv-test-")
	if err != nil {
		return "", err
	}
	err = os.WriteFile(filepath.Join(group, limit), []byte(strconv.Itoa(bytes)), 0o644)
	if err != nil {
		return "", errors.Join(err, os.Remove(group))
	}
	return group, nil
}
