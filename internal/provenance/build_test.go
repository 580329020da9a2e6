package provenance

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestByGoRun(t *testing.T) {
	for binary, want := range map[string]bool{
		"/tmp/go-build1234/b001/exe/dpukv":         true,
		"/tmp/go-build1234/b001/provenance.test":   false,
		"/usr/bin/dpukv":                           false,
		"/home/me/go-builder/dpukv":                false,
		"/home/me/.cache/go-build/ab/abcdef-d/tmp": false,
	} {
		if got := byGoRun(binary); got != want {
			t.Errorf("%s: found %v", binary, got)
		}
	}
}

func TestCheckout(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	b := Build{Revision: Unknown}
	if b.readCheckout(dir); b.Revision != Unknown || !strings.Contains(b.Warning(), "unknown") {
		t.Errorf("without a checkout: %+v", b)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "a")
	if b.readCheckout(dir); len(b.Revision) != 40 || b.Modified || b.Warning() != "" {
		t.Errorf("of a commit: %+v", b)
	}
	if err := exec.Command("touch", dir+"/new").Run(); err != nil {
		t.Fatal(err)
	}
	if b.readCheckout(dir); !b.Modified || !strings.HasSuffix(b.short(), ".dirty") || b.Warning() == "" {
		t.Errorf("of changed files: %+v", b)
	}
}

// TestThisBuild: go test records no commit, so that of the linker counts, and none is made up.
func TestThisBuild(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		version, commit string // of the linker
		want            Build
	}{
		{"", "", Build{Version: "-dev+unknown", Revision: Unknown}},
		{"", commit, Build{Version: "-dev+0123456789ab", Revision: commit, RevisionBy: byLinker}},
		{
			"", commit + "-dirty",
			Build{Version: "-dev+0123456789ab.dirty", Revision: commit, Modified: true, RevisionBy: byLinker},
		},
		{"1.2.3", commit, Build{Version: "1.2.3", Revision: commit, RevisionBy: byLinker}},
		{"1.2.3", "", Build{Version: "1.2.3", Revision: Unknown}},
	} {
		if c.version == "" {
			c.want.Version = strings.TrimSpace(number) + c.want.Version
		}
		c.want.GoVersion = runtime.Version()
		if got := ThisBuild(c.version, c.commit); got != c.want {
			t.Errorf("%q, %q: found %+v, want %+v", c.version, c.commit, got, c.want)
		}
	}
}
