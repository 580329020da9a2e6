package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// missing lists a folder and those above it that do not exist, the outer ones first.
func missing(dir string) (dirs []string) {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			slices.Reverse(dirs)
			return dirs
		}
		dirs = append(dirs, dir)
	}
}

// Discard closes a folder that [Create] made a run folder, and takes back what Create and the
// writer did. It leaves a folder that was there before, one that has a point, and what others put
// into one.
func (w *Writer) Discard() error {
	if len(w.done) > 0 {
		return w.Close()
	}
	w.seals = false
	var errs []error
	for _, name := range []string{ // the last one has the lock
		sweepFile, testbedFile, startsFile, envFile, histFolder, figFolder, pointsFile,
	} {
		errs = append(errs, gone(w.in.Remove(name)))
	}
	for _, dir := range slices.Backward(w.made) {
		errs = append(errs, gone(os.Remove(dir)))
	}
	return errors.Join(append(errs, w.Close())...)
}

// gone is the error of a removal, unless there was nothing, or a folder that is not empty.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil
	}
	return err
}
