package client

import (
	"fmt"
	"time"

	"dpukv/load/trace"
	"dpukv/results"
)

// replay is a trace that the threads of a client replay.
type replay struct {
	file   *trace.File
	cut    trace.Cut // of all threads
	baseNs int64     // the time of the range's first operation
	sha256 string
	// sizes has the sizes of each key and of its value, by the operations sent so far; nil: no miss
	// is filled. A key's operations are in one thread, which alone uses its element.
	sizes []itemSize
}

// itemSize is the size of a key in its upper byte, and that of a value below.
type itemSize uint32

const valueSizeBits = 24

func (s itemSize) key() int   { return int(s >> valueSizeBits) }
func (s itemSize) value() int { return int(s & (1<<valueSizeBits - 1)) }

// note keeps the sizes of a record. A GET that found nothing when it was recorded tells no value.
func (r *replay) note(of *trace.Record) {
	if r.sizes == nil {
		return
	}
	value := itemSize(of.ValueBytes)
	if value == 0 {
		value = itemSize(r.sizes[of.Key].value())
	}
	r.sizes[of.Key] = itemSize(of.KeyBytes)<<valueSizeBits | value
}

// openReplay opens the load's trace; nil: it has none.
func openReplay(cfg *Config) (*replay, error) {
	if !cfg.Replays() {
		return nil, nil
	}
	f, err := trace.Open(cfg.Trace)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	r := &replay{file: f, cut: trace.Cut{Sample: cfg.TraceSample}}
	r.cut.From, r.cut.To = cfg.TraceBounds()
	if err := r.begin(cfg); err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

func (r *replay) begin(cfg *Config) (err error) {
	lastNs := int64(0)
	if r.baseNs, lastNs, err = r.file.Span(r.cut.From, r.cut.To); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if err := cfg.LastsFor(time.Duration(lastNs-r.baseNs), cfg.Duration); err != nil {
		return err
	}
	if cfg.Fills() {
		r.sizes = make([]itemSize, r.file.Summary().Keys)
	}
	if r.sha256, err = r.file.SHA256(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// close may be called for no replay, too.
func (r *replay) close() {
	if r != nil {
		_ = r.file.Close()
	}
}

// part returns the operations of a thread.
func (r *replay) part(cfg *Config, thread int) trace.Cursor {
	cut := r.cut
	cut.Part, cut.Parts = cfg.FirstThread+thread, cfg.AllThreads
	return r.file.Cursor(cut)
}

// facts are what a point tells of the trace.
func (r *replay) facts() results.TraceFile {
	s := r.file.Summary()
	return results.TraceFile{
		Bytes: r.file.Size(), SHA256: r.sha256, Operations: s.Operations, Keys: s.Keys,
		LeftOut: s.Refused(),
	}
}

// player gives one thread its operations of the trace, in their order.
type player struct {
	cursor trace.Cursor
	next   trace.Record
	more   bool // next is valid
}

func newPlayer(r *replay, cfg *Config, thread int) *player {
	p := &player{cursor: r.part(cfg, thread)}
	p.more = p.cursor.Next(&p.next)
	return p
}

// take returns the next operation, of which there is one.
func (p *player) take() trace.Record {
	taken := p.next
	p.more = p.cursor.Next(&p.next)
	return taken
}

// recorded are the times of one thread's operations in a trace, from its range's first operation.
type recorded struct {
	speed  float64
	baseNs int64
	start  moment // the first operation

	last moment // whose time was asked for last
	next moment // the first that is not due at askedNs

	askedNs int64
}

// moment is an operation's time, with what follows it.
type moment struct {
	n      uint64
	ns     int64 // neverNs after the last operation
	cursor trace.Cursor
}

func newRecorded(r *replay, cfg *Config, thread int) *recorded {
	t := &recorded{speed: cfg.TraceSpeed, baseNs: r.baseNs}
	t.start.cursor = r.part(cfg, thread)
	t.read(&t.start)
	t.last, t.next = t.start, t.start
	return t
}

func (t *recorded) read(m *moment) {
	var r trace.Record
	if m.ns = neverNs; m.cursor.Next(&r) {
		m.ns = int64(float64(r.AtNs-t.baseNs) / t.speed)
	}
}

func (t *recorded) at(n uint64) int64 {
	if n < t.last.n {
		t.last = t.start
	}
	for t.last.n < n && t.last.ns < neverNs {
		t.last.n++
		t.read(&t.last)
	}
	return t.last.ns
}

func (t *recorded) due(elapsedNs int64) uint64 {
	if elapsedNs < t.askedNs {
		t.next = t.start
	}
	t.askedNs = elapsedNs
	for t.next.ns <= elapsedNs && t.next.ns < neverNs {
		t.next.n++
		t.read(&t.next)
	}
	return t.next.n
}
