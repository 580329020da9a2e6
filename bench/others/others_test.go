package others

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// TestOursIn: a process counts with what it started, also what has ended, and nothing beside it.
func TestOursIn(t *testing.T) {
	proc := t.TempDir()
	for pid, p := range map[int]struct{ parent, user, system, childUser, childSystem int }{
		1: {0, 1000, 0, 0, 0}, 10: {1, 1, 2, 4, 8}, 20: {10, 16, 0, 0, 0}, 30: {20, 32, 0, 0, 0},
		40: {1, 64, 0, 0, 0},
	} {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		must.Do(t, os.Mkdir(dir, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, "stat"), fmt.Appendf(nil,
			"%d (a (name) x) S %d 1 1 0 -1 4194304 0 0 0 0 %d %d %d %d 20 0 1 0\n", pid, p.parent, p.user,
			p.system, p.childUser, p.childSystem), 0o644))
	}
	if got, want := oursIn(proc, 10), 63*10*time.Millisecond; got != want {
		t.Errorf("found %v, want %v", got, want)
	}
}
