package trace

import (
	"encoding/binary"
	"math/bits"
	"time"

	"dpukv/kvs"
)

// Record is one operation of a trace.
type Record struct {
	// AtNs is the time since the trace's first operation.
	AtNs int64
	// Key is the key's number: from 0 without gaps, in the order of first appearance.
	Key uint64
	// KeyBytes and ValueBytes are sizes. Of a Get, ValueBytes is the size of the answer.
	KeyBytes, ValueBytes int
	Op                   kvs.Op
	// TTL is the time after which what a Set or Add stored expires; 0: never.
	TTL time.Duration
}

// The limits of a record.
const (
	maxKeys    = 1 << 40
	maxSpan    = 1 << 61             // ns: 73 years
	maxTTL     = 30 * 24 * time.Hour // load.MaxTTL
	recordSize = 24
)

// packed is a record as its three words.
type packed [3]uint64

func pack(r *Record) packed {
	return packed{
		uint64(r.AtNs),
		r.Key | uint64(r.KeyBytes)<<40,
		uint64(r.TTL/time.Millisecond) | uint64(r.ValueBytes)<<32 | uint64(r.Op)<<56,
	}
}

func (p *packed) unpack(r *Record) {
	r.AtNs = int64(p[0])
	r.Key = p.key()
	r.KeyBytes = p.keyBytes()
	r.ValueBytes = p.valueBytes()
	r.Op = p.op()
	r.TTL = time.Duration(uint32(p[2])) * time.Millisecond
}

func (p *packed) key() uint64     { return p[1] & (maxKeys - 1) }
func (p *packed) keyBytes() int   { return int(uint8(p[1] >> 40)) }
func (p *packed) valueBytes() int { return int(p[2] >> 32 & (1<<24 - 1)) }
func (p *packed) op() kvs.Op      { return kvs.Op(p[2] >> 56) }

func load(b []byte) packed {
	_ = b[recordSize-1]
	return packed{
		binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]),
	}
}

func (p *packed) store(b []byte) {
	_ = b[recordSize-1]
	binary.LittleEndian.PutUint64(b, p[0])
	binary.LittleEndian.PutUint64(b[8:], p[1])
	binary.LittleEndian.PutUint64(b[16:], p[2])
}

// fault says what no record has, or "". The trace has so many keys; its last record was at lastNs.
func (p *packed) fault(keys uint64, lastNs int64) string {
	switch {
	case !p.op().Valid():
		return "an operation that does not exist"
	case int64(p[0]) < lastNs:
		return "a time before that of the operation before it"
	case p.key() >= keys:
		return "a key beyond the trace's last"
	case p.keyBytes() < keyBytesFor(p.key()):
		return "a key of too few bytes"
	case p.valueBytes() > kvs.MaxValueBytes:
		return "a value larger than any store takes"
	case p[0]>>62 != 0 || p[1]>>48 != 0 || time.Duration(uint32(p[2]))*time.Millisecond > maxTTL:
		return "bits that no record has"
	}
	return ""
}

// keyBytesFor is the size of the smallest key with this number.
func keyBytesFor(key uint64) int { return (bits.Len64(key|1) + 7) / 8 }
