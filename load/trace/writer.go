package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"

	"dpukv/kvs"
)

// Writer writes a trace in the compact form. The file has another name until [Writer.Finish].
type Writer struct {
	path    string
	file    *os.File
	disk    disk
	out     *bufio.Writer
	record  [recordSize]byte
	header  header
	counts  [kvs.Delete + 1]uint64
	written bool // it has its name
}

// Create begins a new file. It does not replace one.
func Create(path string) (*Writer, error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, exists(path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, file: f, disk: disk{file: f, room: roomOf}}
	w.out = bufio.NewWriterSize(&w.disk, 1<<20)
	if _, err := w.out.Write(make([]byte, headerSize)); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func exists(path string) error {
	return fmt.Errorf("%s: found a file of this name, allowed: a new name; to do: remove the "+
		"file, or choose another name: %w", path, fs.ErrExist)
}

// Write adds an operation. Times do not fall, and a new key has the next number.
func (w *Writer) Write(r *Record) error {
	s := &w.header.summary
	p := pack(r)
	if r.Key > s.Keys || r.Key >= maxKeys {
		return fmt.Errorf("operation %d: found key %d, allowed: 0 to %d", s.Operations, r.Key,
			s.Keys)
	}
	var back Record
	if p.unpack(&back); back != *r {
		return fmt.Errorf("operation %d: found %+v, allowed: what a record can hold", s.Operations,
			*r)
	}
	keys := max(s.Keys, r.Key+1)
	if fault := p.fault(keys, s.LastNs); fault != "" {
		return fmt.Errorf("operation %d: found %s", s.Operations, fault)
	}
	if s.Operations == 0 && r.AtNs != 0 {
		return fmt.Errorf("operation 0: found the time %d ns, allowed: 0", r.AtNs)
	}
	p.store(w.record[:])
	if _, err := w.out.Write(w.record[:]); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	s.Operations++
	s.Keys, s.LastNs = keys, r.AtNs
	s.MaxKeyBytes = max(s.MaxKeyBytes, r.KeyBytes)
	s.MaxValueBytes = max(s.MaxValueBytes, r.ValueBytes)
	w.counts[r.Op]++
	return nil
}

// Finish writes the header and gives the file its name. The summary s adds what the records do not
// tell; of it, unit is the distance over which operations of one time are spread.
func (w *Writer) Finish(s Summary) (*Summary, error) {
	own := &w.header.summary
	if own.Operations == 0 {
		return nil, fmt.Errorf("%s: found no operation for it, allowed: 1 or more", w.path)
	}
	s.Operations, s.Keys, s.LastNs = own.Operations, own.Keys, own.LastNs
	s.MaxKeyBytes, s.MaxValueBytes = own.MaxKeyBytes, own.MaxValueBytes
	if s.Ops == nil {
		for op := kvs.Get; op <= kvs.Delete; op++ {
			if n := w.counts[op]; n > 0 {
				s.Ops = append(s.Ops, OpCount{op.String(), op.String(), n})
			}
		}
	}
	s.sortOps()
	w.header.summary, w.header.records = s, s.Operations
	if err := w.finish(); err != nil {
		return nil, fmt.Errorf("write %s: %w", w.path, err)
	}
	return own, nil
}

func (w *Writer) finish() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := w.spreadAndSum(); err != nil {
		return err
	}
	b, err := w.header.encode()
	if err != nil {
		return err
	}
	if _, err := w.file.WriteAt(b, 0); err != nil {
		return err
	}
	if err := errors.Join(w.file.Chmod(0o644), w.file.Close()); err != nil {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, w.file.Name(), unix.AT_FDCWD, w.path, unix.RENAME_NOREPLACE)
	switch {
	case errors.Is(err, unix.EEXIST):
		return exists(w.path)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS): // not every file system can
		err = os.Rename(w.file.Name(), w.path)
	}
	w.written = err == nil
	return err
}

// spreadAndSum spreads the operations of one time over the unit of the times, and sums the records.
func (w *Writer) spreadAndSum() error {
	s := &w.header.summary
	size := headerSize + int(s.Operations)*recordSize
	data, err := unix.Mmap(int(w.file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	records := data[headerSize:]
	if s.SpreadNs > 0 {
		s.LastNs = spread(records, s.SpreadNs)
	}
	w.header.sum = xxhash.Sum64(records)
	return unix.Munmap(data)
}

// spread gives the n operations of one time distances of unit/n. It returns the last time.
func spread(records []byte, unit int64) (lastNs int64) {
	for len(records) > 0 {
		first := load(records)
		n := 1
		for ; n*recordSize < len(records); n++ {
			if p := load(records[n*recordSize:]); p[0] != first[0] {
				break
			}
		}
		for i := range n {
			at := records[i*recordSize:]
			p := load(at)
			lastNs = int64(first[0]) + int64(float64(unit)*float64(i)/float64(n))
			p[0] = uint64(lastNs)
			p.store(at)
		}
		records = records[n*recordSize:]
	}
	return lastNs
}

// Close removes what was written, unless Finish has given it its name.
func (w *Writer) Close() error {
	if w.written {
		return nil
	}
	err := w.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(w.file.Name()))
}
