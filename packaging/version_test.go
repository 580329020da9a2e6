package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestVersion: only the tagged commit itself, without changes, is the release.
func TestVersion(t *testing.T) {
	const committed = "git init -q && git add . && git commit -qm a && "
	for line, want := range map[string]string{ // version, commit; HEAD stands for the commit
		"true":                                "0.1.0-dev+unknown ",
		committed + "true":                    "0.1.0-dev+HEAD HEAD",
		committed + "git tag -m a v0.1.0":     "0.1.0 HEAD",
		committed + "git tag v0x1.0":          "0.1.0-dev+HEAD HEAD",
		committed + "git tag v0.1.0; touch b": "0.1.0-dev+HEAD.dirty HEAD-dirty",
		committed + "git tag v0.1.0; git commit -qm b --allow-empty": "0.1.0-dev+HEAD HEAD",
		committed + "git tag v0.1.0; git tag latest":                 "0.1.0 HEAD",
	} {
		dir := t.TempDir()
		number := filepath.Join(dir, "internal/provenance/VERSION")
		must.Do(t, os.MkdirAll(filepath.Dir(number), 0o700))
		must.Do(t, os.WriteFile(number, []byte("0.1.0\n"), 0o600))
		must.Do(t, os.Mkdir(filepath.Join(dir, "packaging"), 0o700))
		script := must.Get(os.ReadFile("version.sh"))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, "packaging/version.sh"), script, 0o700))
		cmd := exec.Command("sh", "-euc", line+`; head=$(git rev-parse HEAD 2>/dev/null) || head=none
			echo "$(packaging/version.sh) $(packaging/version.sh commit)" |
			sed "s/$head/HEAD/; s/$(printf %.12s "$head")/HEAD/"`)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if got, _ := strings.CutSuffix(string(out), "\n"); err != nil || got != want {
			t.Errorf("%s: found %q (%v), want %q", line, got, err, want)
		}
	}
}

// TestVersionOfDebian has versions as Debian orders them.
func TestVersionOfDebian(t *testing.T) {
	before := "0~git20261125000000.50f05d2b" // of earlier builds
	for _, c := range []struct{ version, epoch, want string }{
		{"0.1.0-dev+0123456789ab", "1764115200", "0.1.0~dev20251126000000.0123456789ab"},
		{"0.1.0-dev+0023456789ab.dirty", "1764115201", "0.1.0~dev20251126000001.0023456789ab.dirty"},
		{"0.1.0-rc1", "0", "0.1.0~rc1"},
		{"0.1.0", "0", "0.1.0"},
		{"0.2.0-dev+unknown", "0", "0.2.0~dev19700101000000.unknown"},
	} {
		cmd := exec.Command("sh", "-euc", ". ./deb.sh; deb_version")
		cmd.Env = append(os.Environ(), "VERSION="+c.version, "SOURCE_DATE_EPOCH="+c.epoch)
		got := strings.TrimSpace(string(must.Get(cmd.CombinedOutput())(t)))
		if got != c.want {
			t.Errorf("%s: found %q, want %q", c.version, got, c.want)
		}
		if _, err := exec.LookPath("dpkg"); err == nil {
			if err := exec.Command("dpkg", "--compare-versions", before, "lt", got).Run(); err != nil {
				t.Errorf("Debian does not sort %s before %s", before, got)
			}
		}
		before = got
	}
}

// TestVersionHasChanges: the version that this source is to become has its changes written down.
func TestVersionHasChanges(t *testing.T) {
	number := strings.TrimSpace(string(must.Get(os.ReadFile("../internal/provenance/VERSION"))(t)))
	changes := string(must.Get(os.ReadFile("../CHANGELOG.md"))(t))
	if !strings.Contains(changes, "\n## "+number+" ") {
		t.Errorf("CHANGELOG.md: found no heading %q: add one for internal/provenance/VERSION", "## "+number)
	}
}
