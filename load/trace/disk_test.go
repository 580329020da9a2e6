package trace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestDiskKeepsRoom: a trace ends before its file system is full, and leaves no file. A file system
// that does not tell its room is written to.
func TestDiskKeepsRoom(t *testing.T) {
	const all = 40 << 20
	for name, c := range map[string]struct {
		free, all int64
		fails     bool
	}{
		"room": {all, all, false}, "little room": {8 << 20, all, true}, "not known": {0, 0, false},
		"much": {1<<40 + 200<<20, 1 << 50, false}, "a large one": {200 << 20, 1 << 40, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := must.Get(Create(filepath.Join(dir, "x")))(t)
			w.disk.room = func(*os.File) (int64, int64) { return c.free - w.disk.n, c.all }
			var err error
			for i := 0; i < 400_000 && err == nil; i++ { // 9.2 MiB
				err = w.Write(&Record{AtNs: int64(i), KeyBytes: 1, Op: kvs.Get})
			}
			if err == nil {
				_, err = w.Finish(Summary{})
			}
			must.Do(t, w.Close())
			files := must.Get(os.ReadDir(dir))(t)
			if errors.Is(err, ErrNoDisk) != c.fails || len(files) > 0 == c.fails {
				t.Errorf("found %v, and %d files", err, len(files))
			}
			if left := min(c.all/leftPart, mostLeft); w.disk.n > 0 && c.all > 0 && c.free-w.disk.n < left {
				t.Errorf("%d bytes are written of %d", w.disk.n, c.free)
			}
		})
	}
	f := must.Get(os.Open(t.TempDir()))(t)
	defer f.Close()
	if free, all := roomOf(f); free < 1 || all < free {
		t.Errorf("%d of %d bytes are free", free, all)
	}
}

// TestReadingLeavesMemory: a source with too many keys ends before memory does, with what it took.
func TestReadingLeavesMemory(t *testing.T) {
	var text strings.Builder
	for i := range 3 * lookEvery {
		fmt.Fprintf(&text, "1,key%d,9,10,1,get,0\n", i)
	}
	c := must.Keep(OpenCSV(t.Context(), write(t, "x.csv", []byte(text.String())), nil))(t)
	looks := int64(0)
	c.memory = func() (int64, string) {
		looks++
		return memoryLeft + 1 - looks, "a machine"
	}
	var r Record
	n := 0
	for c.Next(&r) {
		n++
	}
	if err := c.Err(); n != 2*lookEvery || !errors.Is(err, ErrNoMemory) ||
		!strings.Contains(err.Error(), "64.0 MiB left on a machine, allowed: 64.0 MiB or more; "+
			"the 131072 keys so far take up to 8.0 MiB") {
		t.Errorf("%d operations, then %v", n, err)
	}
}

// keysEnv has this test program only number so many keys, and print its peak of memory for them.
const keysEnv = "DPUKV_TEST_KEYS"

// TestKeyMemory measures what keys take, in a process of its own: as the help says, and not far less.
func TestKeyMemory(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(keysEnv)); err == nil {
		before, table, text := peakBytes(t), keyTable{}, []byte(nil)
		for i := range n {
			text = fmt.Appendf(text[:0], "key %d", i)
			table.find(text, 17)
		}
		fmt.Printf("took %d\n", peakBytes(t)-before)
		return
	}
	if raceEnabled {
		t.Skip("the race detector takes memory of its own")
	}
	const keys = 500_000 // just after the table has grown
	cmd := exec.CommandContext(t.Context(), must.Get(os.Executable())(t), "-test.run=^TestKeyMemory$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", keysEnv, keys))
	out := must.Get(cmd.CombinedOutput())(t)
	var bytes int
	if _, err := fmt.Sscanf(string(out), "took %d", &bytes); err != nil {
		t.Fatalf("found %q: %v", out, err)
	}
	each := float64(bytes) / keys
	t.Logf("%.1f bytes a key", each)
	if each > KeyMemory || each < KeyMemory/2 {
		t.Errorf("a key takes %.1f bytes, and the help says up to %d", each, KeyMemory)
	}
}

// peakBytes is the most memory that this process has had.
func peakBytes(t *testing.T) (kilobytes int) {
	t.Helper()
	status := string(must.Get(os.ReadFile("/proc/self/status"))(t))
	_, rest, _ := strings.Cut(status, "VmHWM:")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
