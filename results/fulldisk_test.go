package results

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk mounts a file system of this size, which it takes root to do.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("dpukv-test", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("no full disk to test with: mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	const disk = 64 << 10
	for name, hlog := range map[string][]byte{
		"points.jsonl": nil,
		".hlog":        make([]byte, 3000),
	} {
		t.Run(name, func(t *testing.T) {
			w, err := Create(filepath.Join(smallDisk(t, disk), "run"), []byte("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var written []string
			for i := 0; ; i++ {
				p := testPoint(withID(fmt.Sprint(i)))
				if err = w.Append(&p, hlog); err != nil {
					break
				}
				written = append(written, p.ID)
			}
			if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want ENOSPC that names %s", err, name)
			}
			if ids, bad := pointIDs(t, w.Run); len(written) == 0 || !slices.Equal(ids, written) || len(bad) != 0 {
				t.Errorf("written %q, read %q, bad lines %v", written, ids, bad)
			}
			if w.Done(fmt.Sprint(len(written))) {
				t.Error("the point that failed counts as done")
			}
			// The disk is still full; continuing must not make it worse.
			_ = w.Close()
			again, err := Resume(w.Dir())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if !again.Done(written[len(written)-1]) || len(again.Repairs()) != 0 {
				t.Errorf("after the disk was full: repairs %q", again.Repairs())
			}
		})
	}
}
