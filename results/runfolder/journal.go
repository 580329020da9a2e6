package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"dpukv/internal/folder"
)

// journal is a JSON lines file that only grows, a whole line at a time.
type journal struct {
	in   *folder.Folder
	name string
	f    *os.File
	size int64 // of the whole lines
	// broken says why nothing can be appended any more: half a line could not be cut off, or
	// somebody else changed the file.
	broken error
	// chain is the digest of the last line, which the next line chains to.
	chain string
}

// ErrChanged is wrapped by the errors of a [Writer] whose files somebody else changed.
var ErrChanged = errors.New("another program changed it")

// openJournal opens or creates a journal. Before the first append, the caller calls
// [journal.repair].
func openJournal(in *folder.Folder, name string) (*journal, error) {
	f, err := in.Append(name)
	if err != nil {
		return nil, err
	}
	if err := checkSize(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &journal{in: in, name: name, f: f}, nil
}

// repair makes the journal end with a whole line, after a crash or a full disk. A last line that
// lacks only its newline gets one, any other half-written line is cut off. It returns what it
// did, "" if there was nothing to do.
func (j *journal) repair() (string, error) {
	lines, size, err := j.scan()
	if err != nil || size == j.size {
		return "", err
	}
	name, bytes := j.name, size-j.size
	if j.lacksOnlyNewline(bytes) {
		j.size = size
		did := fmt.Sprintf("%s, line %d: added the newline that was missing", name, lines+1)
		return did, j.write([]byte("\n"))
	}
	if err := j.f.Truncate(j.size); err != nil {
		return "", err
	}
	did := fmt.Sprintf("%s, line %d: cut off %d bytes of a half-written line", name, lines+1, bytes)
	return did, j.f.Sync()
}

// scan counts the whole lines, sets where they end, and returns the file's size.
func (j *journal) scan() (lines int, size int64, err error) {
	for buffer := make([]byte, 64<<10); ; {
		n, err := j.f.ReadAt(buffer, size)
		if last := bytes.LastIndexByte(buffer[:n], '\n'); last >= 0 {
			lines += bytes.Count(buffer[:n], []byte("\n"))
			j.size = size + int64(last) + 1
		}
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return lines, size, nil
		}
		if err != nil {
			return lines, size, err
		}
	}
}

// lacksOnlyNewline reports whether the bytes behind the whole lines are a line without its
// newline. Only an object shows that it is whole: a number may be the start of a longer one.
func (j *journal) lacksOnlyNewline(bytes int64) bool {
	if bytes > maxLineBytes {
		return false
	}
	rest := make([]byte, bytes)
	_, err := j.f.ReadAt(rest, j.size)
	return err == nil && rest[0] == '{' && json.Valid(rest)
}

// append adds v as one line with its digest, and returns once it is on the disk. After an error the
// journal holds what it held before.
func (j *journal) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", j.in.Path(j.name), err)
	}
	line, chain, err := chained(j.chain, line)
	if err != nil {
		return fmt.Errorf("%s: %w", j.in.Path(j.name), err)
	}
	most := min(maxLineBytes, mostBytes(j.name)-j.size)
	if found := int64(len(line)) + 1; found > most {
		return fmt.Errorf("%s: found a line of %d bytes, allowed: at most %d, so that the folder "+
			"can be read", j.in.Path(j.name), found, most)
	}
	if err := j.write(append(line, '\n')); err != nil {
		return err
	}
	j.chain = chain
	return nil
}

func (j *journal) write(b []byte) error {
	if j.broken == nil {
		j.broken = j.unchanged()
	}
	if j.broken != nil {
		return fmt.Errorf("%s: writing has ended: %w", j.in.Path(j.name), j.broken)
	}
	_, err := j.f.Write(b)
	if err == nil {
		err = j.f.Sync()
	}
	if err == nil {
		j.size += int64(len(b))
		return nil
	}
	if cut := j.f.Truncate(j.size); cut != nil {
		j.broken = errors.Join(err, cut)
	}
	return err
}

// unchanged fails unless the file is the one that was opened, and as long as this journal wrote.
func (j *journal) unchanged() error {
	held, err := j.f.Stat()
	if err != nil {
		return err
	}
	there, err := j.in.File(j.name)
	if err == nil {
		err = j.in.InPlace()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: found no file", ErrChanged)
	case err != nil:
		return err
	case !os.SameFile(held, there):
		return fmt.Errorf("%w: found another file in its place", ErrChanged)
	case held.Size() != j.size:
		return fmt.Errorf("%w: found %d bytes, wrote %d", ErrChanged, held.Size(), j.size)
	}
	return nil
}

// check fails if the file no longer holds all that was appended. It fails once.
func (j *journal) check() error {
	if j.broken != nil {
		return nil // an earlier call or write returned it
	}
	if j.broken = j.unchanged(); j.broken != nil {
		return fmt.Errorf("%s: %w", j.in.Path(j.name), j.broken)
	}
	return nil
}
