package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/examples"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// folderCommands are the commands that open a run folder, with what they read or write there.
// Links they refuse at every name.
var folderCommands = []struct {
	name  string
	args  []string // RUN: the folder, NEW: one that does not exist
	needs []string
}{
	{"report", []string{"report", "RUN"}, []string{"points.jsonl", "env.jsonl", "testbed.yaml", "report.html"}},
	{"report of two", []string{"report", "RUN", "OTHER", "--out", "NEW"}, []string{"env.jsonl", "hist/only.hlog"}},
	{"plot", []string{"plot", "RUN"}, []string{"points.jsonl", "figures/mica-get95-p99.csv"}},
	{"answer", []string{"answer", "RUN"}, []string{"points.jsonl"}},
	{"compare", []string{"compare", "RUN", "OTHER"}, []string{"points.jsonl"}},
	{"verify", []string{"run", "verify", "RUN"}, []string{"sweep.yaml", "starts.jsonl", "head.json", "hist/only.hlog"}},
	{"merge", []string{"run", "merge", "RUN", "OTHER", "--out", "NEW"}, []string{"starts.jsonl", "hist/only.hlog"}},
	{"export", []string{"run", "export", "RUN"}, []string{"points.jsonl"}},
	{"claims", []string{"run", "claims", "RUN"}, []string{"points.jsonl", "env.jsonl"}},
	{"resume", []string{"sweep", "--resume", "--out", "RUN"}, []string{"sweep.yaml", "testbed.yaml"}},
	{"dry run", []string{"sweep", "--resume", "--dry-run", "--out", "RUN"}, []string{"testbed.yaml"}},
	{"serve", []string{"report", "RUN", "--serve", "127.0.0.1:0"}, nil},
}

// planted puts something in a file's or a folder's place, which leads to out, to the folder itself,
// or nowhere.
var planted = map[string]func(path, out string) error{
	"link to a file":     func(path, out string) error { return os.Symlink(filepath.Join(out, "precious"), path) },
	"link to nothing":    func(path, out string) error { return os.Symlink(filepath.Join(out, "new"), path) },
	"link to a folder":   func(path, out string) error { return os.Symlink(out, path) },
	"link to its like":   func(path, _ string) error { return os.Symlink(filepath.Base(path)+".moved", path) },
	"link to the folder": func(path, _ string) error { return os.Symlink(".", path) },
	"second name":        func(path, out string) error { return os.Link(filepath.Join(out, "precious"), path) },
	"pipe":               func(path, _ string) error { return unix.Mkfifo(path, 0o600) },
}

// plant replaces a name of a run folder, or adds it.
func plant(t *testing.T, kind, path, out string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	if err := os.Rename(path, path+".moved"); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must.Do(t, planted[kind](path, out))
}

// snapshot is all that is in a folder, with its content.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		fmt.Fprintln(&b, path, info.Mode(), info.Size())
		if err == nil && info.Mode().IsRegular() {
			b.Write(must.Get(os.ReadFile(path))(t))
		}
		return err
	}))
	return b.String()
}

// runIn runs a command, and fails if it waits for a pipe.
func runIn(t *testing.T, args []string) (said string, err error) {
	t.Helper()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		root := newRootCommand()
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		ended <- root.ExecuteContext(t.Context())
	}()
	select {
	case err := <-ended:
		return out.String(), err
	case <-time.After(5 * time.Minute):
		t.Fatalf("%q has not ended", args)
		return "", nil
	}
}

// wholeFolder makes a run folder with each file that one may have, and returns its path.
func wholeFolder(t *testing.T, parent, name string) string {
	t.Helper()
	dir := filepath.Join(parent, name)
	testbed := must.Get(examples.Testbeds.ReadFile("local.yaml"))(t)
	w := must.Get(runfolder.Create(dir, []byte("store: mica\n"), testbed))(t)
	p := onePoint(results.StatusOK)
	h := results.NewHistogram()
	must.Do(t, h.RecordValue(20_000))
	log := must.Get(results.EncodeHlog([]results.Interval{
		{Tag: results.TagIntended, Start: time.Unix(1, 0), End: time.Unix(2, 0), Histogram: h},
	}))(t)
	must.Do(t, errors.Join(w.AppendStart(map[string]string{"by": name}),
		w.AppendEnv(map[string]string{"node": name}), w.Append(&p, log), w.Close()))
	for _, file := range []string{"report.html", "figures/mica-get95-p99.csv", "sources/1/sweep.yaml"} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("old"), 0o666)))
	}
	return dir
}

// folderNames are the files and folders of a run folder.
var folderNames = []string{
	"sweep.yaml", "testbed.yaml", "starts.jsonl", "env.jsonl", "points.jsonl", "head.json", "report.html",
	"hist", "hist/only.hlog", "hist/next.hlog", "figures", "figures/mica-get95-p99.csv", "figures/new.svg",
	"sources", "sources/1", "sources/1/sweep.yaml",
}

// TestFoldersOfOthersAreOnlyData: whatever stands at a name of a run folder, no command changes or
// reads a file elsewhere by it. It refuses each link, and what it cannot use for other reasons.
func TestFoldersOfOthersAreOnlyData(t *testing.T) {
	whole := wholeFolder(t, t.TempDir(), "run")
	other := wholeFolder(t, t.TempDir(), "other")
	for i, kind := range slices.Sorted(maps.Keys(planted)) {
		for j, name := range folderNames {
			if testing.Short() && (i+j)%len(planted) > 1 {
				t.Log("a short run: two kinds at each name")
				continue
			}
			out := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(out, "precious"), []byte("store: herd\n"), 0o600))
			dir := filepath.Join(t.TempDir(), "run")
			must.Do(t, os.CopyFS(dir, os.DirFS(whole)))
			path := filepath.Join(dir, filepath.FromSlash(name))
			plant(t, kind, path, out)
			before := snapshot(t, out)
			for _, c := range folderCommands {
				isLink := strings.HasPrefix(kind, "link")
				if !isLink && !slices.Contains(c.needs, name) {
					continue
				}
				args := slices.Clone(c.args)
				for i, arg := range args {
					args[i] = strings.NewReplacer("RUN", dir, "OTHER", other, "NEW", filepath.Join(t.TempDir(), "new")).
						Replace(arg)
				}
				said, err := runIn(t, args)
				if err != nil {
					said += err.Error()
				}
				refused := err != nil || !isLink && strings.HasPrefix(name, "hist/") // it is left out
				if !refused || !strings.Contains(said, path+": found a ") &&
					!strings.Contains(said, name+": "+path+": found a ") {
					t.Errorf("%s, %s at %s: found %q, %v", c.name, kind, name, said, err)
				}
				if after := snapshot(t, out); after != before {
					t.Fatalf("%s, %s at %s: found %s, want %s", c.name, kind, name, after, before)
				}
			}
		}
	}
}
