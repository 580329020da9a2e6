package folder

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
)

// precious makes a folder that no call may change, with a file, and returns what checks it.
func precious(t *testing.T) (dir string, check func()) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "f")
	must.Do(t, os.WriteFile(file, []byte("precious"), 0o600))
	return dir, func() {
		t.Helper()
		entries := must.Get(os.ReadDir(dir))(t)
		text, err := os.ReadFile(file)
		if err != nil || string(text) != "precious" || len(entries) != 1 {
			t.Errorf("outside: found %v, %q, %v", entries, text, err)
		}
	}
}

// calls reach a file of a folder in each way.
var calls = map[string]func(*Folder, string) error{
	"Stat": func(d *Folder, name string) error { _, err := d.Stat(name); return err },
	"File": func(d *Folder, name string) error { _, err := d.File(name); return err },
	"Read": func(d *Folder, name string) error { _, err := d.Read(name, 100); return err },
	"Open": func(d *Folder, name string) error {
		f, err := d.Open(name)
		if err == nil {
			f.Close()
		}
		return err
	},
	"Append": func(d *Folder, name string) error {
		f, err := d.Append(name)
		if err == nil {
			_, err = f.WriteString("x")
			f.Close()
		}
		return err
	},
	"Replace": func(d *Folder, name string) error { return d.Replace(name, []byte("x")) },
	"Mkdir":   func(d *Folder, name string) error { return d.Mkdir(name) },
	"ReadDir": func(d *Folder, name string) error { _, err := d.ReadDir(name); return err },
	"Sub":     func(d *Folder, name string) error { _, err := d.Sub(name); return err },
}

func TestOwnFiles(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(dir, link))
	d := must.Get(Open(link))(t) // the user's own path may be a link
	must.Do(t, d.Mkdir("a/b"))
	must.Do(t, d.Mkdir("a/b"))
	for _, text := range []string{"one", "two"} {
		must.Do(t, d.Replace("a/b/f", []byte(text)))
		if got, err := d.Read("a/b/f", 3); err != nil || string(got) != text {
			t.Errorf("found %q, %v", got, err)
		}
	}
	for range 2 {
		must.Do(t, calls["Append"](d, "log"))
	}
	if got, err := d.Read("log", 3); err != nil || string(got) != "xx" {
		t.Errorf("found %q, %v", got, err)
	}
	sub := must.Get(d.Make("a/b"))(t)
	if got, err := sub.Read("f", 3); err != nil || string(got) != "two" {
		t.Errorf("found %q, %v", got, err)
	}
	if want := filepath.Join(link, "a", "b", "f"); sub.Path("f") != want {
		t.Errorf("found %s, want %s", sub.Path("f"), want)
	}
	_, err := d.Read("a/b/none", 3)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), d.Path("a/b/none")) {
		t.Errorf("found %v", err)
	}
	must.Fail(t, calls["Read"](d, "../f"), "escapes")
	must.Do(t, d.CheckLinks("a", "none"))
	if entries := must.Get(d.ReadDir("a/b"))(t); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestLinksAreRefused: whatever a link leads to, and wherever it stands in a name, no call follows
// it.
func TestLinksAreRefused(t *testing.T) {
	for call, use := range calls {
		for target, name := range map[string]string{
			"OUT/f": "link", "OUT/new": "link", "own": "link", "sub": "link", ".": "link", "OUT": "link/f",
			"sub/": "link/g", "none": "link/g",
		} {
			out, unchanged := precious(t)
			dir := t.TempDir()
			d := must.Get(Open(dir))(t)
			must.Do(t, d.Replace("own", []byte("own")))
			must.Do(t, d.Mkdir("sub"))
			must.Do(t, d.Replace("sub/g", []byte("own")))
			must.Do(t, os.Symlink(strings.Replace(target, "OUT", out, 1), filepath.Join(dir, "link")))
			err := use(d, name)
			if err == nil || !strings.HasPrefix(err.Error(), d.Path("link")+": found a link to ") {
				t.Errorf("%s of %s, a link to %s: found %v", call, name, target, err)
			}
			unchanged()
			for _, f := range []string{"own", "sub/g"} {
				if got, err := d.Read(f, 9); err != nil || string(got) != "own" {
					t.Errorf("%s of %s, a link to %s: found %s %q, %v", call, name, target, f, got, err)
				}
			}
			must.Fail(t, d.CheckLinks("link"), "found a link to ")
			must.Fail(t, d.CheckLinks("."), "found a link to ")
		}
	}
}

// TestTemporaryFiles: the name that new content first has is no way out either. A file that a killed
// process left there makes room, and is not written to.
func TestTemporaryFiles(t *testing.T) {
	out, unchanged := precious(t)
	dir := t.TempDir()
	d := must.Get(Open(dir))(t)
	tmp := filepath.Join(dir, "f.tmp")
	must.Do(t, os.Symlink(filepath.Join(out, "f"), tmp))
	must.Fail(t, d.Replace("f", []byte("x")), "f.tmp: found a link to ")
	unchanged()
	must.Do(t, os.Remove(tmp))
	must.Do(t, os.WriteFile(tmp, []byte("left by a killed process"), 0o600))
	must.Do(t, d.Replace("f", []byte("x")))
	if entries := must.Get(os.ReadDir(dir))(t); len(entries) != 1 {
		t.Errorf("found %v", entries)
	}
}

// TestOtherKindsAreRefused: no call waits for a pipe, or writes to a file that has a second name.
func TestOtherKindsAreRefused(t *testing.T) {
	for kind, c := range map[string]struct {
		make func(t *testing.T, path, out string) error
		want string
	}{
		"pipe": {func(_ *testing.T, path, _ string) error {
			return unix.Mkfifo(path, 0o600)
		}, "found a pipe, allowed"},
		"folder": {func(_ *testing.T, path, _ string) error {
			return os.Mkdir(path, 0o700)
		}, "found a folder, allowed"},
		"second name": {func(_ *testing.T, path, out string) error {
			return os.Link(filepath.Join(out, "f"), path)
		}, "found a file with 2 names (hard links), allowed: one"},
		"socket": {func(t *testing.T, path, _ string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		}, "found a socket, allowed"},
	} {
		out, unchanged := precious(t)
		dir := t.TempDir()
		must.Do(t, c.make(t, filepath.Join(dir, "f"), out))
		d := must.Get(Open(dir))(t)
		for _, call := range []string{"File", "Read", "Open", "Append", "Replace"} {
			err := calls[call](d, "f")
			if err == nil || !strings.HasPrefix(err.Error(), d.Path("f")+": "+c.want) {
				t.Errorf("%s, %s: found %v", kind, call, err)
			}
			unchanged()
		}
	}
	if _, err := Open(os.DevNull); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a device as a folder: found %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, unix.Mkfifo(pipe, 0o600))
	if _, err := Open(pipe); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("a pipe as a folder: found %v", err)
	}
}

// TestWriteFails: a file keeps its content and its permissions, and nothing stays beside it.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	d := must.Get(Open(dir))(t)
	must.Do(t, d.Replace("f", []byte("old")))
	must.Do(t, os.Chmod(filepath.Join(dir, "f"), 0o640))
	broken := errors.New("broken")
	err := d.Write("f", func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), d.Path("f")) {
		t.Errorf("found %v", err)
	}
	must.Do(t, d.Replace("f", []byte("new")))
	info := must.Get(os.Stat(filepath.Join(dir, "f")))(t)
	if entries := must.Get(os.ReadDir(dir))(t); len(entries) != 1 || info.Mode() != 0o640 {
		t.Errorf("found %v, mode %v", entries, info.Mode())
	}
	// another process takes the temporary name
	err = d.Write("f", func(io.Writer) error {
		must.Do(t, os.Remove(filepath.Join(dir, "f.tmp")))
		return os.WriteFile(filepath.Join(dir, "f.tmp"), []byte("other"), 0o600)
	})
	must.Fail(t, err, "another process writes it")
	if got, err := d.Read("f", 9); err != nil || string(got) != "new" {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestInPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	d := must.Get(Create(dir))(t)
	must.Do(t, d.InPlace())
	must.Do(t, os.Rename(dir, dir+"2"))
	if err := d.InPlace(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("found %v", err)
	}
	other := must.Get(Create(dir))(t)
	must.Fail(t, d.InPlace(), "found another folder in its place")
	if moved := must.Get(Open(dir + "2"))(t); d.Same(other) || !d.Same(moved) {
		t.Error("folders are mistaken for each other")
	}
}
