//go:build release

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/pages"
)

// bare is a minimal Debian in a folder.
type bare struct {
	t    *testing.T
	root string
}

// newBare makes a bare Debian.
func newBare(t *testing.T) *bare {
	if os.Getuid() != 0 {
		t.Skip("not root: the package was not installed into a bare Debian")
	}
	if _, err := exec.LookPath("debootstrap"); err != nil {
		t.Fatal("found no debootstrap: make test-release installs it")
	}
	b := &bare{t, filepath.Join(t.TempDir(), "debian")}
	run(t, exec.CommandContext(t.Context(), "debootstrap", "--variant=minbase", "bookworm", b.root))
	return b
}

// typed runs a line in a folder of the bare Debian, in mount and process namespaces of its own. It
// leaves nothing behind, however it ends.
func (b *bare) typed(folder, line string) ([]byte, error) {
	return exec.CommandContext(b.t.Context(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc",
		`mount -t proc proc "$0/proc"; mount --rbind /sys "$0/sys"; exec chroot "$0" sh -euc 'cd "$0"; exec sh -euc "$1"' "$1" "$2"`,
		b.root, folder, line).CombinedOutput()
}

// bareDebian follows the first task page on a machine that has nothing but the release's files.
func bareDebian(t *testing.T, dist string) {
	const folder = "/root/release"
	b := newBare(t)
	run(t, exec.Command("cp", "-r", dist, filepath.Join(b.root, folder)))
	pages.Follow(t, "../docs/tasks/first-sweep.md", &pages.Machine{
		Bare: true,
		Run: func(line string) ([]byte, error) {
			out, err := b.typed(folder, line)
			t.Logf("# %s\n%s", line, out)
			return out, err
		},
		Write: func(file, text string) error {
			return os.WriteFile(filepath.Join(b.root, folder, file), []byte(text), 0o644)
		},
		NotRun: func(line, needs string) { t.Logf("not run, as it needs %s: %s", needs, line) },
	})
	points, err := os.ReadFile(filepath.Join(b.root, folder, "first/points.jsonl"))
	if n := strings.Count(string(points), `"status":"ok"`); err != nil || n != 9 {
		t.Errorf("%d points are ok, want 9 (%v)", n, err)
	}
	if figures, _ := filepath.Glob(filepath.Join(b.root, folder, "first/figures/*.svg")); len(figures) == 0 {
		t.Error("no figures")
	}
	for _, line := range []string{
		"test -s /usr/share/man/man1/dpukv-sweep.1.gz || grep -q path-exclude /etc/dpkg/dpkg.cfg.d/*",
		"grep -q dpukv /usr/share/bash-completion/completions/dpukv",
		"dpkg --purge dpukv; test ! -e /usr/bin/dpukv",
	} {
		if out, err := b.typed(folder, line); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}
