package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes the file at path. It replaces a regular file as a whole, and follows links. It
// writes into a device or a pipe, such as /dev/stdout.
func Write(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replaceFile(path, 0o644, write)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: found a folder, allowed: a file", path)
	case !info.Mode().IsRegular():
		return writeInto(path, write)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return replaceFile(target, info.Mode().Perm(), write)
}

// Check returns an error if a file could not be written there: its folder is missing, or it is a
// folder itself. So a long work can fail before it begins.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: found a folder, allowed: a file", path)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: found no folder %s, allowed: a file in a folder that exists; make "+
			"it with mkdir -p", path, folder)
	}
	return nil
}

func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(writeBuffered(f, write), f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(writeBuffered(f, write), f.Close())
}

func writeBuffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}
