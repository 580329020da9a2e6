package client

import (
	"cmp"
	"fmt"
	"time"

	"dpukv/client/follow"
	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
	"dpukv/results"
)

// replay is a trace that the threads of a client replay.
type replay struct {
	file   *trace.File
	cut    trace.Cut // of all threads
	baseNs int64     // the time of the range's first operation
	speed  float64   // 0: as fast as possible
	sha256 string
	bytes  int64
	id     *trace.Identity
	// ttlUnit is that of the store; 0: its items do not expire.
	ttlUnit time.Duration
	// items has what is known of each key, by the operations sent so far; nil: no miss is filled. A
	// key's operations are in one thread, which alone uses its element.
	items []item
	keys  follow.Keys
}

// item is a time to live in ms above the 8 bits of a key's size, and those above a value's size.
type item uint64

const (
	valueSizeBits = 24
	itemSizeBits  = valueSizeBits + 8
)

func (i item) value() int         { return int(i & (1<<valueSizeBits - 1)) }
func (i item) key() int           { return int(uint8(i >> valueSizeBits)) }
func (i item) ttl() time.Duration { return time.Duration(i>>itemSizeBits) * time.Millisecond }

// note keeps what a record tells of an item. A GET and a DELETE tell no time to live, and a GET
// that found nothing when it was recorded tells no value.
func (r *replay) note(of *trace.Record) {
	if r.items == nil {
		return
	}
	was := r.items[of.Key]
	value, ttl := of.ValueBytes, of.TTL
	if value == 0 {
		value = was.value()
	}
	if of.Op == kvs.Get || of.Op == kvs.Delete {
		ttl = was.ttl()
	}
	r.items[of.Key] = item(ttl/time.Millisecond)<<itemSizeBits |
		item(of.KeyBytes)<<valueSizeBits | item(value)
}

// ttl returns the time to live of an item in the replay: as much shorter as the replay is faster,
// and rounded up to what the store has. long: that is more than a tenth longer.
func (r *replay) ttl(recorded time.Duration) (ttl time.Duration, long bool) {
	if recorded == 0 || r.ttlUnit == 0 {
		return 0, false
	}
	exact := recorded
	if r.speed > 0 {
		exact = time.Duration(min(float64(recorded)/r.speed, float64(load.MaxTTL)))
	}
	ttl = (exact + r.ttlUnit - 1) / r.ttlUnit * r.ttlUnit
	return ttl, ttl > exact+exact/10
}

// openReplay opens the load's trace; nil: it has none.
func openReplay(cfg *Config, facts *kvs.Facts) (*replay, error) {
	if !cfg.Replays() {
		return nil, nil
	}
	f, err := trace.Open(cmp.Or(cfg.Converted, cfg.Trace))
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	r := &replay{
		file: f, cut: trace.Cut{Sample: cfg.TraceSample}, speed: cfg.TraceSpeed,
		ttlUnit: facts.TTLUnit,
		keys:    follow.New(f.Summary().Keys, facts, cpu.NowNs()),
	}
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
		r.items = make([]item, r.file.Summary().Keys)
	}
	return r.identify(cfg)
}

// identify finds out which file the operations come from.
func (r *replay) identify(cfg *Config) (err error) {
	if cfg.Converted != "" {
		source := r.file.Summary().Source
		r.bytes, r.sha256 = source.Bytes, source.SHA256
		return nil
	}
	r.id, err = r.file.Identify(cfg.KnownTrace, func(bytes uint64) {
		if cfg.OnProgress != nil {
			cfg.OnProgress(Progress{Phase: PhaseTrace, Done: bytes, Total: uint64(r.file.Size())})
		}
	})
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	r.bytes, r.sha256 = r.id.Bytes, r.id.SHA256
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
		Bytes: r.bytes, SHA256: r.sha256, Operations: s.Operations, Keys: s.Keys,
		LeftOut: s.Refused(),
	}
}

// player gives one thread its operations of the trace, in their order.
type player struct {
	replay *replay
	cursor trace.Cursor
	next   trace.Record
	more   bool // next is valid

	ttls, long uint64 // times to live, and those of them that are too long
}

func newPlayer(r *replay, cfg *Config, thread int) *player {
	p := &player{replay: r, cursor: r.part(cfg, thread)}
	p.more = p.cursor.Next(&p.next)
	return p
}

// take returns the next operation, of which there is one.
func (p *player) take() trace.Record {
	taken := p.next
	p.more = p.cursor.Next(&p.next)
	return taken
}

// ttl is [replay.ttl] of an operation, which it counts.
func (p *player) ttl(recorded time.Duration) time.Duration {
	if recorded == 0 {
		return 0
	}
	p.ttls++
	ttl, long := p.replay.ttl(recorded)
	if long {
		p.long++
	}
	return ttl
}

// times are those of one thread's operations, from the range's first operation.
func (r *replay) times(cfg *Config, thread int) *walk {
	return newWalk(func() func() int64 {
		cursor, of := r.part(cfg, thread), trace.Record{}
		return func() int64 {
			if !cursor.Next(&of) {
				return neverNs
			}
			return int64(float64(of.AtNs-r.baseNs) / r.speed)
		}
	})
}
