package provenance

import (
	"os/exec"
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
	if b.readCheckout(dir); !b.Modified || !strings.HasSuffix(b.short(), "-dirty") || b.Warning() == "" {
		t.Errorf("of changed files: %+v", b)
	}
}

// TestCommitOfTheLinker: go test records no commit, so that of the linker counts.
func TestCommitOfTheLinker(t *testing.T) {
	for commit, modified := range map[string]bool{"0123abcd": false, "0123abcd-dirty": true} {
		b := ThisBuild("v1.2.3", commit)
		if b.Revision != "0123abcd" || b.Modified != modified || b.RevisionBy != byLinker {
			t.Errorf("%s: found %+v", commit, b)
		}
	}
}

// TestThisBuild: go test records no commit, and none is made up.
func TestThisBuild(t *testing.T) {
	if b := ThisBuild("devel", ""); !strings.HasPrefix(b.Version, "devel-") || b.GoVersion == "" {
		t.Errorf("found %+v", b)
	}
	if b := ThisBuild("v1.2.3", ""); b.Version != "v1.2.3" {
		t.Errorf("found %+v", b)
	}
}
