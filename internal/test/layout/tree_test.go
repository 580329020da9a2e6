package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// root is the folder of the repository, and module its import path.
const (
	root   = "../../.."
	module = "dpukv"
)

// source is a file of the repository.
type source struct {
	path string // below the root, with slashes
	text string
}

func (s source) folder() string { return filepath.ToSlash(filepath.Dir(s.path)) }
func (s source) isTest() bool   { return strings.HasSuffix(s.path, "_test.go") }

// read returns the files below a folder whose names end in one of the endings. It leaves out what
// the go command ignores, and other modules.
func read(t *testing.T, dir string, endings ...string) (files []source) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != dir && leftOut(path) {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains(endings, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		files = append(files, source{filepath.ToSlash(below), string(text)})
		return err
	}))
	return files
}

func leftOut(path string) bool {
	name := filepath.Base(path)
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return name == "testdata" || name[0] == '.' || name[0] == '_' || err == nil
}

// write makes a folder with files, for a test.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// TestRead: build tags hide no file; testdata and modules of their own stay out.
func TestRead(t *testing.T) {
	dir := write(t, map[string]string{
		"a/a.go": "package a\n", "a/tagged.go": "//go:build never\n\npackage a\n", "a/s.sh": "exit\n",
		"a/testdata/x.go": "package x\n", "a/.hidden/x.go": "package x\n",
		"m/go.mod": "module m\n", "m/m.go": "package m\n",
	})
	var paths []string
	for _, f := range read(t, dir, ".go") {
		paths = append(paths, f.path)
	}
	if want := []string{"a/a.go", "a/tagged.go"}; !slices.Equal(paths, want) {
		t.Errorf("found %v, want %v", paths, want)
	}
}
