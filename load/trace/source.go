package trace

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"dpukv/internal/infile"
	"dpukv/internal/offheap"
	"dpukv/kvs"
)

const (
	maxLine     = 64 << 10
	maxWindow   = 512 << 20 // of zstd; its --ultra has 128 MiB
	maxExamples = 5
	maxText     = 120     // bytes of an example
	lookEvery   = 1 << 16 // lines between two looks at the context
	// A source with more malformed lines than this, and than one of a hundred, is no trace.
	maxMalformed = 100
)

// CSV reads a trace in a CSV file, which may be compressed by zstd.
type CSV struct {
	ctx     context.Context
	tell    func(done float64)
	path    string
	file    *os.File
	size    int64
	read    counter
	zstd    *zstd.Decoder
	lines   *bufio.Reader
	number  uint64 // of the present line, from 1 on
	parser  parser
	keys    keyTable
	memory  func() (left int64, of string)
	ops     opCounts
	summary Summary
	firstNs int64
	err     error
}

// counter counts the bytes of a file, and hashes them.
type counter struct {
	r    io.Reader
	n    int64
	hash hash.Hash
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.hash.Write(b[:n])
	return n, err
}

// OpenCSV opens a trace of Twitter's or one with named columns. Reading ends with ctx, and calls
// tell with the share of the file that is done, unless it is nil.
func OpenCSV(ctx context.Context, path string, tell func(done float64)) (*CSV, error) {
	file, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	c := &CSV{ctx: ctx, tell: tell, path: path, file: file, keys: keyTable{}}
	c.memory = offheap.Available
	c.read = counter{r: file, hash: sha256.New()}
	if err := c.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), c.Close())
	}
	return c, nil
}

// begin finds out what the file is.
func (c *CSV) begin() error {
	if info, err := c.file.Stat(); err == nil {
		c.size = info.Size()
	}
	c.lines = bufio.NewReaderSize(&c.read, maxLine)
	first, err := c.lines.Peek(len(magic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(first) == 0:
		return errors.New("found nothing in it, allowed: a trace")
	case bytes.HasPrefix(first, []byte(magic)):
		return errors.New("found a trace in the compact form, allowed: a CSV file")
	case bytes.HasPrefix(first, []byte{0x1f, 0x8b}):
		return errors.New("found gzip, allowed: a plain file or zstd; to do: gunzip it")
	case isZstd(first):
		if c.zstd, err = zstd.NewReader(c.lines, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return err
		}
		c.lines = bufio.NewReaderSize(c.zstd, maxLine)
	}
	return c.beginLines()
}

func isZstd(b []byte) bool {
	skippable := len(b) >= 4 && b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
	return skippable || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// beginLines reads the first line if it names columns.
func (c *CSV) beginLines() error {
	first, err := c.lines.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return c.cannotRead(err)
	}
	end := bytes.IndexByte(first, '\n')
	if end < 0 {
		return fmt.Errorf("line 1: found no end of it within %d bytes or up to the end of the "+
			"file, allowed: lines of a CSV file", maxLine)
	}
	skip := end + 1
	first = bytes.TrimRight(first[:end], "\r")
	bare := bytes.TrimPrefix(first, []byte("\xef\xbb\xbf"))
	var l line
	switch {
	case named(bare) && (twitter{}).parse(first, &l) != "":
		if c.parser, err = newColumns(bare); err != nil {
			return err
		}
		c.number = 1
		_, err = c.lines.Discard(skip)
		return err
	case bytes.Count(first, []byte{','}) < 6:
		return fmt.Errorf("line 1: found neither the fields %s of Twitter's traces, nor names of "+
			"columns, allowed: %s", twitterFields, ColumnNames)
	}
	c.parser = twitter{}
	return nil
}

// Next reads the next operation. It returns false at the end, or at an error: see [CSV.Err]. Times
// are as in the source; see Summary.SpreadNs.
func (c *CSV) Next(r *Record) bool {
	var l line
	for c.err == nil {
		text, ok := c.line()
		if !ok {
			return false
		}
		if len(text) == 0 {
			continue
		}
		if fault := c.parser.parse(text, &l); fault != "" {
			c.malformed(fault, text)
		} else if c.record(&l, text, r) {
			return true
		}
	}
	return false
}

// line reads a line without its end. Lines that are too long are malformed.
func (c *CSV) line() (text []byte, ok bool) {
	for {
		if c.number%lookEvery == 0 && !c.look() {
			return nil, false
		}
		text, err := c.lines.ReadSlice('\n')
		if err == nil {
			c.number++
			text = text[:len(text)-1]
			if n := len(text); n > 0 && text[n-1] == '\r' {
				text = text[:n-1]
			}
			return text, true
		}
		if errors.Is(err, io.EOF) {
			if c.summary.CutOff = len(text) > 0; c.summary.CutOff {
				c.number++
			}
			return nil, false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			c.err = fmt.Errorf("%s: %w", c.path, c.cannotRead(err))
			return nil, false
		}
		c.number++
		c.malformed(fmt.Sprintf("no end within %d bytes", maxLine), text)
		for errors.Is(err, bufio.ErrBufferFull) && c.err == nil {
			_, err = c.lines.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) || c.err != nil {
			return nil, false
		}
	}
}

func (c *CSV) cannotRead(err error) error {
	return fmt.Errorf("after line %d: cannot read on: %w; to do: copy the file again, as it is "+
		"cut off or damaged", c.number, err)
}

// look tells how far the reading is, and reports whether to go on.
func (c *CSV) look() bool {
	if c.err = context.Cause(c.ctx); c.err == nil && c.tell != nil {
		c.tell(float64(c.read.n) / float64(max(c.size, 1)))
	}
	if c.err == nil && c.number > 0 {
		c.err = c.fits()
	}
	return c.err == nil
}

// fits refuses to go on where little memory is left. The kernel would kill this process, or others,
// without a word.
func (c *CSV) fits() error {
	left, of := c.memory()
	if left >= memoryLeft {
		return nil
	}
	return fmt.Errorf("%s: after line %d: %w: found %s left on %s, allowed: %s or more; the %d "+
		"keys so far take up to %s; to do: read it on a machine with more memory, or a "+
		"file with fewer keys", c.path, c.number, ErrNoMemory, bytesText(left), of,
		bytesText(memoryLeft), len(c.keys), bytesText(int64(len(c.keys))*KeyMemory))
}

// ErrNoMemory is of a source with more keys than fit into memory.
var ErrNoMemory = errors.New("the memory does not suffice")

// memoryLeft is what reading leaves free: far more than it takes between two looks.
const memoryLeft = 64 << 20

// malformed counts a line that is no operation.
func (c *CSV) malformed(reason string, text []byte) {
	s := &c.summary
	s.Malformed++
	if len(s.MalformedExamples) < maxExamples {
		s.MalformedExamples = append(s.MalformedExamples,
			Malformed{c.number, reason, string(text[:min(len(text), maxText)])})
	}
	if s.Malformed > maxMalformed && s.Malformed > c.number/100 {
		first := s.MalformedExamples[0]
		c.err = fmt.Errorf("%s: found %d malformed lines of %d, allowed: %d, or one of a hundred; "+
			"the first is line %d: %s: %q", c.path, s.Malformed, c.number, maxMalformed,
			first.Line, first.Reason, first.Text)
	}
}

// record makes a record of a line. It is false for a line that becomes none.
func (c *CSV) record(l *line, text []byte, r *Record) bool {
	if l.keyBytes == 0 || len(l.key) == 0 {
		c.malformed("an empty key", text)
		return false
	}
	s := &c.summary
	at := l.atNs - c.firstNs
	if s.Operations > 0 && at < s.LastNs {
		c.err = fmt.Errorf("%s: line %d: found a time before that of an earlier line, allowed: "+
			"times that do not fall; to do: sort the lines, such as with sort -s -n -t, -k1,1",
			c.path, c.number)
		return false
	}
	if s.Operations > 0 && at > maxSpan {
		c.malformed("a time more than 73 years after the first", text)
		return false
	}
	op, ok := c.ops.count(l.op)
	if !ok {
		c.malformed("no operation", text)
		return false
	}
	if op == 0 {
		return false
	}
	if s.Operations == 0 {
		c.firstNs, at = l.atNs, 0
	}
	s.Operations++
	s.LastNs = at
	*r = Record{AtNs: at, Op: op}
	c.sizes(l, r)
	return true
}

// sizes fills in the key, the sizes and the TTL within their limits, and counts what is not as in
// the source.
func (c *CSV) sizes(l *line, r *Record) {
	s := &c.summary
	size := min(l.keyBytes, kvs.MaxKeyBytes)
	key, keyBytes, isNew, longer := c.keys.find(l.key, size)
	r.Key, r.KeyBytes = key, keyBytes
	switch {
	case longer:
		s.KeysLengthened++
	case isNew && size != l.keyBytes:
		s.KeysCut++
	case !isNew && size != uint64(keyBytes) && size >= uint64(keyBytesFor(key)):
		s.KeySizeChanged++
	}
	r.ValueBytes = int(min(l.valueBytes, kvs.MaxValueBytes))
	if uint64(r.ValueBytes) != l.valueBytes {
		s.ValuesCut++
	}
	if r.Op == kvs.Set || r.Op == kvs.Add {
		if r.TTL = min(l.ttl, maxTTL); r.TTL != l.ttl {
			s.TTLsCut++
		}
	}
	s.Keys = uint64(len(c.keys))
	s.MaxKeyBytes = max(s.MaxKeyBytes, r.KeyBytes)
	s.MaxValueBytes = max(s.MaxValueBytes, r.ValueBytes)
}

// Err returns the error at which Next ended, or nil.
func (c *CSV) Err() error { return c.err }

// Summary describes what was read so far. At the end it has the source's digest.
func (c *CSV) Summary() *Summary {
	s := c.summary
	s.Source = Source{
		Name: filepath.Base(c.path), Format: c.parser.format(), Bytes: c.read.n,
		SHA256: hex.EncodeToString(c.read.hash.Sum(nil)),
	}
	s.SpreadNs = c.parser.unitNs()
	s.Ops = c.ops.all()
	s.sortOps()
	s.MalformedExamples = slices.Clone(s.MalformedExamples)
	return &s
}

// Close closes the file.
func (c *CSV) Close() error {
	if c.zstd != nil {
		c.zstd.Close()
	}
	return c.file.Close()
}
