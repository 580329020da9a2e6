package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
)

// history is a repository whose main has commits "first" and "second", of which only the second can
// be judged, and a branch "work" with a third.
func history(t *testing.T) (r repository, commits map[string]string) {
	r = repository(t.TempDir())
	git := func(args ...string) string {
		t.Helper()
		return must.Get(r.git(context.Background(), append([]string{
			"-c", "user.name=a", "-c", "user.email=a@example.com",
		}, args...)...))(t)
	}
	commits = map[string]string{}
	commit := func(message, path, text string) {
		path = filepath.Join(string(r), path)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		git("add", "-A")
		git("commit", "-q", "-m", message)
		commits[message] = git("rev-parse", "HEAD")
	}
	git("init", "-q", "-b", "main")
	commit("first", protocolFile, "const Version = 0\n")
	commit("second", protocolFile, fmt.Sprintf("const Version = %d\n", subject.Version))
	git("checkout", "-q", "-b", "work")
	commit("third", "c", "")
	return r, commits
}

func TestBase(t *testing.T) {
	r, commits := history(t)
	ctx := context.Background()
	for _, c := range []struct{ checkout, change, wish, want, why string }{
		{"work", "", "", "second", "main that the tree grew from"},
		{"work", "changed", "", "second", "main that the tree grew from"},
		{"work", "", "main~1", "first", "as asked for"},
		{"main", "changed", "", "second", "the tree has changes"},
		{"main", "", "", "first", "no changes"},
	} {
		must.Get(r.git(ctx, "checkout", "-q", c.checkout))(t)
		if c.change != "" {
			must.Do(t, os.WriteFile(filepath.Join(string(r), "new"), []byte(c.change), 0o600))
		}
		commit, why, err := r.base(ctx, c.wish)
		must.Do(t, err)
		if commit != commits[c.want] {
			t.Errorf("%+v: found %s", c, commit)
		}
		must.Contain(t, why, c.why)
		must.Get(r.git(ctx, "clean", "-qfd"))(t)
	}
	_, _, err := r.base(ctx, "none")
	must.Fail(t, err, "none")
}

func TestJudged(t *testing.T) {
	r, commits := history(t)
	ctx := context.Background()
	must.Do(t, r.judged(ctx, commits["second"]))
	must.Do(t, r.judged(ctx, commits["third"]))
	err := r.judged(ctx, commits["first"])
	must.Fail(t, err, "the first commit that can is "+commits["second"][:7])
	must.Get(r.git(ctx, "checkout", "-q", commits["first"]))(t)
	must.Fail(t, r.judged(ctx, commits["first"]), "nor in an older commit")
}

func TestExport(t *testing.T) {
	r, commits := history(t)
	dir := t.TempDir()
	must.Do(t, r.export(context.Background(), commits["second"], dir))
	for path, want := range map[string]bool{protocolFile: true, "c": false, "base.tar": false} {
		if _, err := os.Stat(filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %t", path, err, want)
		}
	}
}
