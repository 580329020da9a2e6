package infile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

const most = 1000

func write(t *testing.T, bytes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, make([]byte, bytes), 0o600))
	return path
}

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, unix.Mkfifo(path, 0o600))
	return path
}

func TestReadTakesFilesUpToTheLimit(t *testing.T) {
	for _, n := range []int{0, 1, most} {
		data, err := Read(write(t, n), most)
		if err != nil || len(data) != n {
			t.Errorf("a file of %d bytes: got %d, %v", n, len(data), err)
		}
	}
	path := write(t, 10)
	link := path + ".link"
	must.Do(t, os.Symlink(path, link))
	if data, err := Read(link, most); err != nil || len(data) != 10 {
		t.Errorf("by a link: got %d, %v", len(data), err)
	}
	if data, err := Read("/proc/self/stat", most); err != nil || len(data) == 0 {
		t.Errorf("a file that tells no size: got %d, %v", len(data), err)
	}
}

func TestReadRefuses(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	l := must.Get(net.Listen("unix", socket))(t)
	defer l.Close()
	for _, test := range []struct{ path, want string }{
		{"/dev/zero", "found a device, allowed: a regular file"},
		{"/dev/null", "found a device, allowed: a regular file"},
		{t.TempDir(), "found a folder, allowed: a regular file"},
		{fifo(t), "found a pipe, allowed: a regular file"},
		{socket, "found a socket, allowed: a regular file"},
		{write(t, most+1), "found 1001 bytes, allowed: at most 1000 bytes"},
		{"/proc/self/status", "found more, allowed: at most 100 bytes"}, // a size of 0 is told
	} {
		limit := int64(most)
		if strings.HasPrefix(test.path, "/proc") {
			limit = 100
		}
		_, err := Read(test.path, limit)
		if err == nil || err.Error() != test.path+": "+test.want {
			t.Errorf("%s: got %v, want %s", test.path, err, test.want)
		}
		if strings.Contains(test.want, "pipe") {
			continue
		}
		if _, err := ReadInput(t.Context(), test.path, limit); err == nil {
			t.Errorf("ReadInput took %s", test.path)
		}
	}
	_, err := Read("/no/such/file", most)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "open /no/such/file") {
		t.Errorf("no file: got %v", err)
	}
}

func TestReadInputTakesPipes(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		fmt.Fprint(w, "as a shell's <(command)")
		w.Close()
	}()
	data, err := ReadInput(t.Context(), fmt.Sprintf("/dev/fd/%d", r.Fd()), most)
	if err != nil || string(data) != "as a shell's <(command)" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestReadInputWaitsForTheWriter(t *testing.T) {
	path := fifo(t)
	wrote := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // blocks until there is a reader
		if err == nil {
			_, err = f.WriteString("late")
			err = errors.Join(err, f.Close())
		}
		wrote <- err
	}()
	data, err := ReadInput(t.Context(), path, most)
	if err = errors.Join(err, <-wrote); err != nil || string(data) != "late" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestReadInputEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(2*look, func() { cancel(errors.New("told to end")) })
	_, err := ReadInput(ctx, fifo(t), most)
	if err == nil || !strings.Contains(err.Error(), "told to end") {
		t.Errorf("got %v", err)
	}
}

func TestReadInputHasALimit(t *testing.T) {
	path := fifo(t)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		for err == nil { // ends with EPIPE
			_, err = f.Write(make([]byte, 4096))
		}
	}()
	_, err := ReadInput(t.Context(), path, most)
	if err == nil || !strings.Contains(err.Error(), "found more, allowed: at most 1000 bytes") {
		t.Errorf("got %v", err)
	}
}
