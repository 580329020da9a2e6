package dpdk

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestInMemory: a mount of another size does not serve.
func TestInMemory(t *testing.T) {
	const hugetlbfs = "hugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize="
	for mounts, want := range map[string]string{
		"proc /proc proc rw 0 0\n": "testpmd --in-memory -l 0 1 -- -i",
		hugetlbfs + "512M 0 0\n":   "testpmd --in-memory -l 0 1 -- -i",
		hugetlbfs + "2M 0 0\n":     "testpmd -l 0 1 -- -i",
	} {
		file := filepath.Join(t.TempDir(), "mounts")
		must.Do(t, os.WriteFile(file, []byte(mounts), 0o600))
		script := strings.ReplaceAll(inMemory, "/proc/mounts", file) + `echo "$@"`
		out, err := exec.CommandContext(t.Context(), "sh", "-euc", script, "sh",
			"testpmd", "-l", "0 1", "--", "-i").CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("with %q mounted: found %q, %v; want %q", mounts, got, err, want)
		}
	}
}
