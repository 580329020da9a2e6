package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// journal is a JSON lines file that only grows, a whole line at a time.
type journal struct {
	f    *os.File
	size int64 // of the whole lines
	// broken says why nothing can be appended any more: a line that failed
	// halfway could not be cut off again.
	broken error
}

// openJournal opens or creates a journal. Until [journal.repair] has been called, nothing
// may be appended.
func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &journal{f: f}, nil
}

// repair makes the journal end with a whole line, after a crash or a full disk: a last
// line that is whole but for its newline gets one, any other is cut off. It
// returns what it did, "" if there was nothing to do.
func (j *journal) repair() (string, error) {
	data, err := os.ReadFile(j.f.Name())
	if err != nil {
		return "", err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	j.size = int64(whole)
	tail := data[whole:]
	if len(tail) == 0 {
		return "", nil
	}
	name, line := filepath.Base(j.f.Name()), bytes.Count(data, []byte("\n"))+1
	// Only an object shows that it is whole: a number may be the start of a longer one.
	if tail[0] == '{' && json.Valid(tail) {
		j.size += int64(len(tail))
		return fmt.Sprintf("%s, line %d: added the newline that was missing", name, line), j.write([]byte("\n"))
	}
	if err := j.f.Truncate(j.size); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, line %d: cut off %d bytes of a half-written line", name, line, len(tail)), j.f.Sync()
}

// append adds v as one line and returns once it is on the disk. After an error the
// journal holds what it held before.
func (j *journal) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", j.f.Name(), err)
	}
	return j.write(append(line, '\n'))
}

func (j *journal) write(b []byte) error {
	if j.broken != nil {
		return fmt.Errorf("%s: given up after an earlier error: %w", j.f.Name(), j.broken)
	}
	_, err := j.f.WriteAt(b, j.size)
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

func (j *journal) close() error { return j.f.Close() }
