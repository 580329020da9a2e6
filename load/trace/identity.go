package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Identity tells a file from others.
type Identity struct {
	Device, Inode uint64
	Bytes         int64
	ChangedNs     int64  // by the file system, which nobody can set
	SHA256        string // in hex
}

// state is what the file system tells of a file.
type state struct {
	Identity        // without the digest
	writtenNs int64 // the last write, which a program can set
}

func stateOf(st *unix.Stat_t) state {
	return state{
		Identity{
			Device: st.Dev, Inode: st.Ino, Bytes: st.Size, ChangedNs: st.Ctim.Nano(),
		}, st.Mtim.Nano(),
	}
}

// now asks for the present state of the open file.
func (f *File) now() (state, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.file.Fd()), &st); err != nil {
		return state{}, fmt.Errorf("%s: %w", f.path, os.NewSyscallError("fstat", err))
	}
	return stateOf(&st), nil
}

// Identify returns the file's identity. It reads all bytes for the digest, unless the file is the
// known one and has not changed. Meanwhile it calls tell with the number of bytes read.
func (f *File) Identify(known *Identity, tell func(bytes uint64)) (*Identity, error) {
	now, err := f.now()
	if err != nil {
		return nil, err
	}
	id := now.Identity
	if known != nil {
		if id.SHA256 = known.SHA256; id == *known {
			return known, nil
		}
	}
	h := sha256.New()
	for r, n := io.NewSectionReader(f.file, 0, math.MaxInt64), uint64(0); ; tell(n) {
		part, err := io.CopyN(h, r, tellEvery)
		n += uint64(part)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	id.SHA256 = hex.EncodeToString(h.Sum(nil))
	return &id, nil
}

// tellEvery is a part of a second's reading.
const tellEvery = 256 << 20

// Unchanged returns an error if the file was written, cut off, replaced or removed since it was
// opened. Where only its name, owner or rights may have changed, it reads the records again.
func (f *File) Unchanged() error {
	now, err := f.now()
	if err != nil {
		return err
	}
	then := f.opened
	var named unix.Stat_t
	err = unix.Stat(f.path, &named)
	switch {
	case now.Bytes != then.Bytes:
		return fmt.Errorf("%s: found %d bytes, at the beginning %d: %w", f.path, now.Bytes,
			then.Bytes, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s: found no file of this name any more (%w): %w", f.path, err,
			ErrChanged)
	case named.Dev != then.Device || named.Ino != then.Inode:
		return fmt.Errorf("%s: found another file of this name: %w", f.path, ErrChanged)
	case now.writtenNs != then.writtenNs:
		return fmt.Errorf("%s: found a later time of its last write: %w", f.path, ErrChanged)
	case now.ChangedNs != then.ChangedNs:
		if err := f.Check(); err != nil {
			return fmt.Errorf("%w: %w", err, ErrChanged)
		}
	}
	return nil
}

// ErrChanged is of a file that is not the one that was opened.
var ErrChanged = errors.New("the file changed while it was read; to do: leave it alone, and " +
	"measure again")
