package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Replace makes a file hold data, and returns once the data is on the disk. At any time the file
// has its old content or all of data.
func (d *Folder) Replace(name string, data []byte) error {
	return d.Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is Replace with what a function writes. A file that is there keeps its permissions.
func (d *Folder) Write(name string, write func(io.Writer) error) error {
	mode := fs.FileMode(0)
	switch info, err := d.File(name); {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp := name + ".tmp"
	f, err := d.temporary(tmp)
	if err != nil {
		return err
	}
	err = fill(f, mode, write)
	ours := d.stillThere(tmp, f)
	if err = errors.Join(err, ours, f.Close()); err == nil {
		err = d.root.Rename(tmp, name)
	}
	if err != nil {
		if ours == nil {
			_ = d.root.Remove(tmp) // the first error is the one to report
		}
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	return d.sync(path.Dir(name))
}

// temporary makes a file for new content. One that a killed process left makes room: it is removed,
// and not written to.
func (d *Folder) temporary(name string) (*os.File, error) {
	switch _, err := d.File(name); {
	case err == nil:
		if err := d.root.Remove(name); err != nil {
			return nil, d.named("remove", name, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, d.named("open", name, err)
	}
	return f, nil
}

func fill(f *os.File, mode fs.FileMode, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}

// stillThere fails if another process has put its own file at the name of f.
func (d *Folder) stillThere(name string, f *os.File) error {
	there, err := d.Stat(name)
	if err != nil {
		return err
	}
	held, err := f.Stat()
	if err == nil && !os.SameFile(there, held) {
		err = fmt.Errorf("%s: another process writes it; try again when that has ended",
			d.Path(name))
	}
	return err
}

// sync writes a folder's names to the disk. Without it a crash may lose a new file.
func (d *Folder) sync(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
