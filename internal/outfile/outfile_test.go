package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dpukv/internal/test/must"
)

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: found %q, %v, want %q", path, got, err, want)
	}
}

// TestWrite: a file has all of the new content or its old one, and a link stays a link.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	must.Do(t, Write(file, say("one")))
	wantContent(t, file, "one")
	must.Do(t, errors.Join(os.Chmod(file, 0o600), os.Symlink("file", link), Write(link, say("two"))))
	wantContent(t, file, "two")
	if target, err := os.Readlink(link); target != "file" {
		t.Errorf("the link is gone: %q, %v", target, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v, want 0600", info.Mode(), err)
	}
	broken := errors.New("broken")
	err := Write(file, func(w io.Writer) error { return errors.Join(say("half")(w), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("found %v, want %v", err, broken)
	}
	wantContent(t, file, "two")
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := Write(dir, say("x")); err == nil {
		t.Error("a folder was written")
	}
}

// TestWritePipe: a path that is no regular file is written to, and not replaced.
func TestWritePipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(path)
		got <- string(data)
	}()
	must.Do(t, Write(path, say("text")))
	if text := <-got; text != "text" {
		t.Errorf("found %q", text)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe is now %v, %v", info.Mode(), err)
	}
}

// TestCheck: what Write could not write is told before.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for path, bad := range map[string]bool{
		dir: true, filepath.Join(dir, "none", "file"): true, filepath.Join(dir, "file"): false,
	} {
		if err := Check(path); (err != nil) != bad {
			t.Errorf("%s: got %v", path, err)
		}
	}
}
