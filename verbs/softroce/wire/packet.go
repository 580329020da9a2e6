package wire

import (
	"encoding/binary"

	"dpukv/internal/order"
)

// These are the lengths of a packet's parts, in bytes.
const (
	BTHBytes  = 12
	dethBytes = 8
	RETHBytes = 16
	aethBytes = 4
	immBytes  = 4
	ICRCBytes = 4

	// maxHeaderBytes is the most bytes that precede a payload, plus those of the ICRC.
	maxHeaderBytes = BTHBytes + RETHBytes + immBytes + ICRCBytes
)

const (
	defaultPKey = 0xffff
	// pkeyMask leaves out the bit that tells full from limited membership.
	pkeyMask = 0x7fff

	PSNBits = 24
	QPNBits = 24
	PSNMask = 1<<PSNBits - 1
	QPNMask = 1<<QPNBits - 1
)

// MaxMTU is the largest path MTU.
const MaxMTU = 4096

// fault is the reason why a UDP payload is not a packet for this device.
type fault uint8

const (
	WellFormed  fault = iota
	Malformed         // too short, no multiple of four bytes, wrong version
	ForeignOp         // an opcode that the device does not support
	ForeignPKey       // another partition than the default one
)

// Packet is a packet's headers and payload. The opcode determines which headers are valid.
type Packet struct {
	Op        Opcode
	Solicited bool
	AckReq    bool
	DstQPN    uint32
	PSN       uint32

	// RETH
	VA     uint64
	RKey   uint32
	DMALen uint32
	// DETH
	QKey   uint32
	SrcQPN uint32
	// AETH
	Syndrome uint8
	MSN      uint32
	// ImmDt
	Imm uint32

	Payload []byte // lies in the receive buffer
}

// headerBytes returns the length of the headers before the payload.
func (o Opcode) headerBytes() int { return int(headerLengths[o]) }

// headerLengths are the lengths of the headers before the payload, by opcode.
var headerLengths = func() (lengths [256]uint8) {
	for o := range lengths {
		lengths[o] = uint8(Opcode(o).addedUp())
	}
	return lengths
}()

func (o Opcode) addedUp() int {
	s, n := o.Shape(), BTHBytes
	if o&TransportMask == TransportUD {
		n += dethBytes
	}
	if s.RETH {
		n += RETHBytes
	}
	if s.AETH {
		n += aethBytes
	}
	if s.Imm {
		n += immBytes
	}
	return n
}

// Padding returns the bytes that extend a payload to a multiple of four.
func Padding(n int) int { return -n & 3 }

// Bytes returns the packet's length as a UDP payload.
func (p *Packet) Bytes() int {
	return p.Op.headerBytes() + len(p.Payload) + Padding(len(p.Payload)) + ICRCBytes
}

// Put writes everything but the ICRC into b, which has p.Bytes().
func (p *Packet) Put(b []byte) {
	pad := Padding(len(p.Payload))
	b[0] = byte(p.Op)
	b[1] = byte(pad) << 4
	if p.Solicited {
		b[1] |= 0x80
	}
	binary.BigEndian.PutUint16(b[2:], defaultPKey)
	binary.BigEndian.PutUint32(b[4:], p.DstQPN)
	binary.BigEndian.PutUint32(b[8:], p.PSN)
	if p.AckReq {
		b[8] |= 0x80
	}
	at := p.putExtensions(b)
	at += order.CopyFrom(b[at:], p.Payload)
	for range pad {
		b[at] = 0
		at++
	}
}

func (p *Packet) putExtensions(b []byte) int {
	s, at := p.Op.Shape(), BTHBytes
	if p.Op&TransportMask == TransportUD {
		binary.BigEndian.PutUint32(b[at:], p.QKey)
		binary.BigEndian.PutUint32(b[at+4:], p.SrcQPN)
		at += dethBytes
	}
	if s.RETH {
		binary.BigEndian.PutUint64(b[at:], p.VA)
		binary.BigEndian.PutUint32(b[at+8:], p.RKey)
		binary.BigEndian.PutUint32(b[at+12:], p.DMALen)
		at += RETHBytes
	}
	if s.AETH {
		binary.BigEndian.PutUint32(b[at:], uint32(p.Syndrome)<<24|p.MSN)
		at += aethBytes
	}
	if s.Imm {
		binary.BigEndian.PutUint32(b[at:], p.Imm)
		at += immBytes
	}
	return at
}

// Parse parses a UDP payload. It ignores the ICRC.
func (p *Packet) Parse(b []byte) fault {
	if len(b) < BTHBytes+ICRCBytes || len(b)&3 != 0 || b[1]&0x0f != 0 {
		return Malformed
	}
	p.Op = Opcode(b[0])
	if !p.Op.Known() {
		return ForeignOp
	}
	if binary.BigEndian.Uint16(b[2:])&pkeyMask != defaultPKey&pkeyMask {
		return ForeignPKey
	}
	pad, head := int(b[1]>>4&3), p.Op.headerBytes()
	end := len(b) - ICRCBytes - pad
	if end < head {
		return Malformed
	}
	p.Solicited = b[1]&0x80 != 0
	p.AckReq = b[8]&0x80 != 0
	p.DstQPN = binary.BigEndian.Uint32(b[4:]) & QPNMask
	p.PSN = binary.BigEndian.Uint32(b[8:]) & PSNMask
	p.parseExtensions(b)
	p.Payload = b[head:end:end]
	return WellFormed
}

func (p *Packet) parseExtensions(b []byte) {
	s, at := p.Op.Shape(), BTHBytes
	if p.Op&TransportMask == TransportUD {
		p.QKey = binary.BigEndian.Uint32(b[at:])
		p.SrcQPN = binary.BigEndian.Uint32(b[at+4:]) & QPNMask
		at += dethBytes
	}
	if s.RETH {
		p.VA = binary.BigEndian.Uint64(b[at:])
		p.RKey = binary.BigEndian.Uint32(b[at+8:])
		p.DMALen = binary.BigEndian.Uint32(b[at+12:])
		at += RETHBytes
	}
	if s.AETH {
		a := binary.BigEndian.Uint32(b[at:])
		p.Syndrome, p.MSN = uint8(a>>24), a&PSNMask
		at += aethBytes
	}
	if s.Imm {
		p.Imm = binary.BigEndian.Uint32(b[at:])
	}
}

// PSNDiff returns a − b on the circle of 24-bit numbers. It is negative if a is older.
func PSNDiff(a, b uint32) int { return int(int32((a-b)<<8) >> 8) }
