package kernel

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// MemoryGroup makes a control group whose processes may have so many bytes. A process joins it by
// writing its ID to the file cgroup.procs in the returned folder. MemoryGroup skips the test if no
// such group can be made.
func MemoryGroup(t testing.TB, bytes int64) (group string) {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skipf("needs a control group for memory: %v", err)
	}
	why := "no hierarchy of them is mounted"
	for line := range strings.Lines(string(mounts)) {
		mount, system, _ := strings.Cut(strings.TrimSpace(line), " - ")
		m, s := strings.Fields(mount), strings.Fields(system)
		file := ""
		switch {
		case len(m) < 5 || len(s) < 3:
		case s[0] == "cgroup2":
			file = "memory.max"
		case s[0] == "cgroup" && strings.Contains(","+s[2]+",", ",memory,"):
			file = "memory.limit_in_bytes"
		}
		if file == "" {
			continue
		}
		dir, err := makeGroup(t, m[4], file, bytes)
		if err == nil {
			return dir
		}
		why = err.Error()
	}
	t.Skipf("needs a control group for memory: %s%s", why, emulated())
	return ""
}

func makeGroup(t testing.TB, mount, limit string, bytes int64) (dir string, err error) {
	if dir, err = os.MkdirTemp(mount, "dpukv-test-"); err != nil {
		return "", err
	}
	t.Cleanup(func() {
		// The last process may take a moment to leave.
		deadline := time.Now().Add(10 * time.Second)
		for os.Remove(dir) != nil && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
	})
	return dir, os.WriteFile(filepath.Join(dir, limit), strconv.AppendInt(nil, bytes, 10), 0)
}
