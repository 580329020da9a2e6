package memcached

import (
	"encoding/binary"
	"fmt"

	"dpukv/internal/foreign"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
)

// The header of a packet has these fields, with big-endian numbers:
//
//	byte 0       1        2           4              5      6                 8            12       16
//	    | magic | opcode | key bytes | extras bytes | type | vbucket, status | body bytes | opaque | cas |
//
// The body follows: extras, key, value.
const (
	packetHeader  = 24
	magicRequest  = 0x80
	magicResponse = 0x81

	opGet    = 0x00
	opSet    = 0x01
	opAdd    = 0x02
	opDelete = 0x04
	opStat   = 0x10

	statusOK       = 0x00
	statusNotFound = 0x01
	statusExists   = 0x02
	statusNoMemory = 0x82

	setExtras = 8 // flags and expiry of a set or an add
)

var opcodes = [...]byte{kvs.Get: opGet, kvs.Set: opSet, kvs.Add: opAdd, kvs.Delete: opDelete}

// classic is the binary protocol.
type classic struct{}

// Append adds a request.
func (*classic) Append(b []byte, r *kvs.Request) []byte {
	if r.Op == kvs.Set || r.Op == kvs.Add {
		b = appendPacket(b, opcodes[r.Op], setExtras, len(r.Key), len(r.Value))
		b = binary.BigEndian.AppendUint64(b, uint64(r.TTL/ttlUnit)) // after the flags, which are 0
		b = append(b, r.Key...)
		return append(b, r.Value...)
	}
	b = appendPacket(b, opcodes[r.Op], 0, len(r.Key), 0)
	return append(b, r.Key...)
}

func appendPacket(b []byte, opcode byte, extras, key, value int) []byte {
	b = append(b, magicRequest, opcode, byte(key>>8), byte(key), byte(extras), 0, 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(extras+key+value))
	b = binary.BigEndian.AppendUint32(b, 0)
	return binary.BigEndian.AppendUint64(b, 0)
}

// End adds nothing: every request is answered.
func (*classic) End(b []byte) []byte { return b }

// Read parses an answer.
func (*classic) Read(in []byte, op kvs.Op) (pipeline.Outcome, error) {
	p, bytes, err := readPacket(in, opcodes[op])
	if err != nil || bytes == 0 || len(in) < bytes {
		return pipeline.Outcome{Bytes: bytes}, err
	}
	o := pipeline.Outcome{Bytes: bytes}
	switch {
	case p.status == statusOK && op == kvs.Get:
		o.From, o.To = packetHeader+p.extras+p.key, bytes
	case p.status == statusOK:
	case p.status == statusNotFound && (op == kvs.Get || op == kvs.Delete):
		o.Status = kvs.NotFound
	case p.status == statusExists && op == kvs.Add:
		o.Status = kvs.Exists
	case p.status == statusNoMemory && (op == kvs.Set || op == kvs.Add):
		o.Status = kvs.Full
	default:
		reason := foreign.Reason(in[packetHeader+p.extras : bytes])
		return o, fmt.Errorf("the server answered a %s with status %#x: %s", op, p.status, reason)
	}
	return o, nil
}

// packet has the relevant parts of an answer's header.
type packet struct {
	status      uint16
	extras, key int
}

// readPacket parses a header. bytes is the length of the whole packet; it is 0 while the header is
// incomplete.
func readPacket(in []byte, opcode byte) (p packet, bytes int, err error) {
	if len(in) < packetHeader {
		if len(in) > 0 && in[0] != magicResponse {
			err = pipeline.Nonsense(in)
		}
		return p, 0, err
	}
	p = packet{
		status: binary.BigEndian.Uint16(in[6:]), extras: int(in[4]),
		key: int(binary.BigEndian.Uint16(in[2:])),
	}
	body := binary.BigEndian.Uint32(in[8:])
	if in[0] != magicResponse || in[1] != opcode || body > kvs.MaxValueBytes+1024 ||
		p.extras+p.key > int(body) {
		return p, 0, pipeline.Nonsense(in)
	}
	return p, packetHeader + int(body), nil
}
