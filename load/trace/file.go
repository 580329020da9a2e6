package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"

	"dpukv/internal/infile"
)

const (
	magic       = "dpukvtrc"
	version     = 1
	headerSize  = 4096
	summaryAt   = 32
	headerSumAt = headerSize - 8
	maxSummary  = headerSumAt - summaryAt
)

// header is the first part of a file in the compact form.
type header struct {
	records, sum uint64
	summary      Summary
}

func (h *header) encode() ([]byte, error) {
	text, err := h.summary.encode(maxSummary)
	if err != nil {
		return nil, err
	}
	b := make([]byte, headerSize)
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(text)))
	binary.LittleEndian.PutUint64(b[16:], h.records)
	binary.LittleEndian.PutUint64(b[24:], h.sum)
	copy(b[summaryAt:], text)
	binary.LittleEndian.PutUint64(b[headerSumAt:], xxhash.Sum64(b[:headerSumAt]))
	return b, nil
}

func (h *header) decode(b []byte) error {
	if len(b) < headerSize {
		return fmt.Errorf("found %d bytes, allowed: %d or more: it is cut off", len(b), headerSize)
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return fmt.Errorf("found version %d of a trace, allowed: %d; to do: convert the source "+
			"with this dpukv, or use a newer one", v, version)
	}
	if binary.LittleEndian.Uint64(b[headerSumAt:]) != xxhash.Sum64(b[:headerSumAt]) {
		return errors.New("found a damaged header: convert the source again")
	}
	h.records = binary.LittleEndian.Uint64(b[16:])
	h.sum = binary.LittleEndian.Uint64(b[24:])
	size := binary.LittleEndian.Uint32(b[12:])
	if size > maxSummary {
		return errors.New("found a header with too long a summary: convert the source again")
	}
	if err := json.Unmarshal(b[summaryAt:summaryAt+size], &h.summary); err != nil {
		return fmt.Errorf("found a summary that cannot be read: %w", err)
	}
	s := &h.summary
	if s.Operations != h.records || s.Keys > maxKeys || s.Keys > s.Operations || s.LastNs < 0 {
		return errors.New("found a summary of other operations: convert the source again")
	}
	return nil
}

// File is a trace in the compact form. Several goroutines may use it.
type File struct {
	path   string
	file   *os.File
	data   []byte // header and records
	header header
	opened state
}

// ErrNotCompact is of a file that is no trace in the compact form.
var ErrNotCompact = errors.New("found no trace in the compact form")

// Open maps a trace in the compact form.
func Open(path string) (*File, error) {
	file, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file}
	if err := f.load(); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
		if errors.Is(err, ErrNotCompact) {
			err = fmt.Errorf("%w; to do: make one of a CSV file: dpukv trace convert %s %s.trace",
				err, path, path)
		}
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *File) load() (err error) {
	if f.opened, err = f.now(); err != nil {
		return err
	}
	b := make([]byte, headerSize)
	n, err := io.ReadFull(f.file, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	b = b[:n]
	if !bytes.HasPrefix(b, []byte(magic)) {
		return ErrNotCompact
	}
	if err := f.header.decode(b); err != nil {
		return err
	}
	if f.header.records > (math.MaxInt-headerSize)/recordSize {
		return errors.New("found more operations than fit into memory's addresses")
	}
	want := headerSize + int64(f.header.records)*recordSize
	if size := f.Size(); size != want {
		return fmt.Errorf("found %d bytes, allowed: %d, for %d operations: it is cut off or "+
			"changed; to do: copy or convert it again", size, want, f.header.records)
	}
	if f.data, err = unix.Mmap(int(f.file.Fd()), 0, int(want), unix.PROT_READ,
		unix.MAP_SHARED); err != nil {
		return os.NewSyscallError("mmap", err)
	}
	_ = unix.Madvise(f.data, unix.MADV_SEQUENTIAL) // a hint
	return nil
}

// Summary returns what the file's header says. Nobody may change it.
func (f *File) Summary() *Summary { return &f.header.summary }

// Size returns the present number of bytes of the file.
func (f *File) Size() int64 {
	info, err := f.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// Check reads the records, and compares their sum with the header's.
func (f *File) Check() error {
	h := xxhash.New()
	records := io.NewSectionReader(f.file, headerSize, math.MaxInt64-headerSize)
	if _, err := io.Copy(h, records); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if h.Sum64() != f.header.sum {
		return fmt.Errorf("%s: found other records than were written: it is damaged; to do: copy "+
			"or convert it again", f.path)
	}
	return nil
}

// Close unmaps the file. No cursor may be in use.
func (f *File) Close() error {
	data := f.data
	f.data = nil
	return errors.Join(unix.Munmap(data), f.file.Close())
}
