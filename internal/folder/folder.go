package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"dpukv/internal/infile"
)

// Folder is an open folder. It needs no closing: like an [os.File], it closes once nothing refers
// to it any more.
type Folder struct {
	path string
	root *os.Root
}

// Open opens a folder. The path may lead through links.
func Open(path string) (*Folder, error) {
	// The check comes before the open, which would wait for a pipe's writer.
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{path, root}, nil
}

// Create makes a folder and those above it, unless they exist, and opens it.
func Create(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	return Open(path)
}

// Path is the path of a name in the folder, for messages. Path("") is that of the folder, as it was
// given.
func (d *Folder) Path(name string) string {
	if name == "" {
		return d.path
	}
	return filepath.Join(d.path, filepath.FromSlash(name))
}

// Stat describes a file or a folder. It refuses a link, and a name below a link.
func (d *Folder) Stat(name string) (fs.FileInfo, error) {
	for at := 0; ; {
		slash := strings.IndexByte(name[at:], '/')
		if slash < 0 {
			return d.own(name)
		}
		if _, err := d.own(name[:at+slash]); err != nil {
			return nil, err
		}
		at += slash + 1
	}
}

// own is Stat without a look at what is above.
func (d *Folder) own(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, d.named("open", name, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, d.linkError(name)
	}
	return info, nil
}

func (d *Folder) linkError(name string) error {
	target, _ := d.root.Readlink(name) // the link itself is what is wrong
	return fmt.Errorf("%s: found a link to %q, allowed in this folder: files of its own; look "+
		"where it leads before you remove it, or put a copy in its place", d.Path(name), target)
}

// named is an error with the path that a user knows.
func (d *Folder) named(op, name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: op, Path: d.Path(name), Err: err}
}

// File describes a file that may be read or written. It refuses all but a regular file with one
// name.
func (d *Folder) File(name string) (fs.FileInfo, error) {
	info, err := d.Stat(name)
	if err == nil {
		err = d.wantFile(name, info)
	}
	if err != nil {
		return nil, err
	}
	return info, nil
}

func (d *Folder) wantFile(name string, info fs.FileInfo) error {
	if err := infile.WantRegular(d.Path(name), info); err != nil {
		return err
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok && sys.Nlink > 1 {
		return fmt.Errorf("%s: found a file with %d names (hard links), allowed: one; copy it, "+
			"and put the copy in its place", d.Path(name), sys.Nlink)
	}
	return nil
}

// Open opens a file for reading.
func (d *Folder) Open(name string) (*os.File, error) { return d.open(name, os.O_RDONLY) }

func (d *Folder) open(name string, flags int) (*os.File, error) {
	info, err := d.File(name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, flags|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, d.named("open", name, err)
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s: found another file while it was opened, allowed: a file that stays",
			d.Path(name))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads a file of at most so many bytes.
func (d *Folder) Read(name string, most int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return infile.ReadOpen(f, d.Path(name), most)
}

// Append opens a file for reading, and for writing at its end. It makes the file if there is none.
func (d *Folder) Append(name string) (*os.File, error) {
	// O_APPEND: if somebody cuts the file, the next write leaves no hole.
	const flags = os.O_RDWR | os.O_APPEND
	f, err := d.open(name, flags)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f, err = d.root.OpenFile(name, flags|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return d.open(name, flags) // somebody made it in between
	}
	if err != nil {
		return nil, d.named("open", name, err)
	}
	return f, nil
}

// Mkdir makes a folder and those above it, unless they exist.
func (d *Folder) Mkdir(name string) error {
	if above := path.Dir(name); above != "." {
		if err := d.Mkdir(above); err != nil {
			return err
		}
	}
	if err := d.root.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return d.named("mkdir", name, err)
	}
	return d.wantFolder(name)
}

func (d *Folder) wantFolder(name string) error {
	info, err := d.Stat(name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: found a file, allowed: a folder", d.Path(name))
	}
	return err
}

// Remove removes a file, a folder that is empty, or a link itself.
func (d *Folder) Remove(name string) error {
	if err := d.root.Remove(name); err != nil {
		return d.named("remove", name, err)
	}
	return nil
}

// ReadDir lists what is in a folder; ".": in this one.
func (d *Folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.wantFolder(name); err != nil {
		return nil, err
	}
	return fs.ReadDir(d.root.FS(), name)
}

// Walk calls visit for all that is in a folder, as [fs.WalkDir] does; ".": in this one. It goes
// into no links.
func (d *Folder) Walk(name string, visit fs.WalkDirFunc) error {
	return fs.WalkDir(d.root.FS(), name, visit)
}

// CheckLinks refuses links among these names, and anywhere below them. A name may be missing.
func (d *Folder) CheckLinks(names ...string) error {
	for _, name := range names {
		info, err := d.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			continue
		}
		err = d.Walk(name, func(at string, e fs.DirEntry, err error) error {
			if err == nil && e.Type()&fs.ModeSymlink != 0 {
				err = d.linkError(at)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// InPlace fails if the folder's path leads to another folder by now, or to none.
func (d *Folder) InPlace() error {
	there, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	held, err := d.root.Stat(".")
	if err == nil && !os.SameFile(held, there) {
		err = fmt.Errorf("%s: found another folder in its place", d.path)
	}
	return err
}

// Same reports whether two folders are one.
func (d *Folder) Same(other *Folder) bool {
	a, errA := d.root.Stat(".")
	b, errB := other.root.Stat(".")
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Sub opens a folder in this one.
func (d *Folder) Sub(name string) (*Folder, error) {
	if err := d.wantFolder(name); err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.named("open", name, err)
	}
	return &Folder{d.Path(name), root}, nil
}

// Make opens a folder in this one. It makes it, and those above it, unless they exist.
func (d *Folder) Make(name string) (*Folder, error) {
	if err := d.Mkdir(name); err != nil {
		return nil, err
	}
	return d.Sub(name)
}
