package infile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"dpukv/internal/foreign"
)

// Open opens a regular file for reading, and follows links. It never waits for a writer.
func Open(path string) (*os.File, error) {
	// The check comes before the open: opening a device or a pipe can have an effect by itself.
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if err := WantRegular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = WantRegular(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads a regular file of at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(f, path, most)
}

// ReadOpen reads an open file of at most so many bytes. Errors name it by its path.
func ReadOpen(f *os.File, path string, most int64) ([]byte, error) {
	if info, err := f.Stat(); err == nil && info.Size() > most {
		return nil, tooLong(path, fmt.Sprintf("%d bytes", info.Size()), most)
	}
	return readAll(path, f, most)
}

// readAll limits the bytes that arrive and ignores the reported size: files of /proc report none,
// others grow.
func readAll(path string, r io.Reader, most int64) ([]byte, error) {
	data, err := foreign.ReadAll(r, path, most)
	switch {
	case foreign.Over(err):
		return nil, tooLong(path, "more", most)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// stat names the system call that a user expects in an error.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	var p *fs.PathError
	if errors.As(err, &p) {
		p.Op = "open"
	}
	return info, err
}

// WantRegular refuses all but a regular file, and says what was found.
func WantRegular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s: found %s, allowed: a regular file", path, kindOf(info.Mode()))
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "no file"
}

func tooLong(path, found string, most int64) error {
	return fmt.Errorf("%s: found %s, allowed: at most %d bytes", path, found, most)
}
