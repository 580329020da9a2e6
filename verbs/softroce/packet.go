package softroce

import "encoding/binary"

// Lengths of what a packet is made of, in bytes.
const (
	bthBytes  = 12
	dethBytes = 8
	rethBytes = 16
	aethBytes = 4
	immBytes  = 4
	icrcBytes = 4

	// maxHeaderBytes is the most that precedes a payload, ICRC added.
	maxHeaderBytes = bthBytes + rethBytes + immBytes + icrcBytes
)

const (
	defaultPKey = 0xffff
	// pkeyMask leaves out the bit that tells full from limited membership.
	pkeyMask = 0x7fff

	psnMask = 1<<psnBits - 1
	qpnMask = 1<<qpnBits - 1
)

// packet is a packet's headers and payload. Which headers are valid follows from the opcode.
type packet struct {
	op        opcode
	solicited bool
	ackReq    bool
	dstQPN    uint32
	psn       uint32

	// RETH
	va     uint64
	rkey   uint32
	dmaLen uint32
	// DETH
	qkey   uint32
	srcQPN uint32
	// AETH
	syndrome uint8
	msn      uint32
	// ImmDt
	imm uint32

	payload []byte // lies in the receive buffer
}

// headerBytes is what precedes the payload.
func (o opcode) headerBytes() int { return int(headerLengths[o]) }

// headerLengths by opcode.
var headerLengths = func() (lengths [256]uint8) {
	for o := range lengths {
		lengths[o] = uint8(opcode(o).addedUp())
	}
	return lengths
}()

func (o opcode) addedUp() int {
	s, n := o.shape(), bthBytes
	if o&transportMask == transportUD {
		n += dethBytes
	}
	if s.reth {
		n += rethBytes
	}
	if s.aeth {
		n += aethBytes
	}
	if s.immd {
		n += immBytes
	}
	return n
}

// padding makes a payload a multiple of four bytes.
func padding(n int) int { return -n & 3 }

// wireBytes is the packet's length as a UDP payload.
func (p *packet) wireBytes() int {
	return p.op.headerBytes() + len(p.payload) + padding(len(p.payload)) + icrcBytes
}

// put writes all but the ICRC into b, of wireBytes.
func (p *packet) put(b []byte) {
	pad := padding(len(p.payload))
	b[0] = byte(p.op)
	b[1] = byte(pad) << 4
	if p.solicited {
		b[1] |= 0x80
	}
	binary.BigEndian.PutUint16(b[2:], defaultPKey)
	binary.BigEndian.PutUint32(b[4:], p.dstQPN)
	binary.BigEndian.PutUint32(b[8:], p.psn)
	if p.ackReq {
		b[8] |= 0x80
	}
	at := p.putExtensions(b)
	at += copy(b[at:], p.payload)
	for range pad {
		b[at] = 0
		at++
	}
}

func (p *packet) putExtensions(b []byte) int {
	s, at := p.op.shape(), bthBytes
	if p.op&transportMask == transportUD {
		binary.BigEndian.PutUint32(b[at:], p.qkey)
		binary.BigEndian.PutUint32(b[at+4:], p.srcQPN)
		at += dethBytes
	}
	if s.reth {
		binary.BigEndian.PutUint64(b[at:], p.va)
		binary.BigEndian.PutUint32(b[at+8:], p.rkey)
		binary.BigEndian.PutUint32(b[at+12:], p.dmaLen)
		at += rethBytes
	}
	if s.aeth {
		binary.BigEndian.PutUint32(b[at:], uint32(p.syndrome)<<24|p.msn)
		at += aethBytes
	}
	if s.immd {
		binary.BigEndian.PutUint32(b[at:], p.imm)
		at += immBytes
	}
	return at
}

// parse reads a UDP payload, whose ICRC it leaves alone. What it returns is noDrop or why the packet is none.
func (p *packet) parse(b []byte) counter {
	if len(b) < bthBytes+icrcBytes || len(b)&3 != 0 || b[1]&0x0f != 0 {
		return badPacket
	}
	p.op = opcode(b[0])
	if !p.op.known() {
		return badOpcode
	}
	if binary.BigEndian.Uint16(b[2:])&pkeyMask != defaultPKey&pkeyMask {
		return badPKey
	}
	pad, head := int(b[1]>>4&3), p.op.headerBytes()
	end := len(b) - icrcBytes - pad
	if end < head {
		return badPacket
	}
	p.solicited = b[1]&0x80 != 0
	p.ackReq = b[8]&0x80 != 0
	p.dstQPN = binary.BigEndian.Uint32(b[4:]) & qpnMask
	p.psn = binary.BigEndian.Uint32(b[8:]) & psnMask
	p.parseExtensions(b)
	p.payload = b[head:end:end]
	return noDrop
}

func (p *packet) parseExtensions(b []byte) {
	s, at := p.op.shape(), bthBytes
	if p.op&transportMask == transportUD {
		p.qkey = binary.BigEndian.Uint32(b[at:])
		p.srcQPN = binary.BigEndian.Uint32(b[at+4:]) & qpnMask
		at += dethBytes
	}
	if s.reth {
		p.va = binary.BigEndian.Uint64(b[at:])
		p.rkey = binary.BigEndian.Uint32(b[at+8:])
		p.dmaLen = binary.BigEndian.Uint32(b[at+12:])
		at += rethBytes
	}
	if s.aeth {
		a := binary.BigEndian.Uint32(b[at:])
		p.syndrome, p.msn = uint8(a>>24), a&psnMask
		at += aethBytes
	}
	if s.immd {
		p.imm = binary.BigEndian.Uint32(b[at:])
	}
}

// psnDiff is a − b on the circle of 24-bit numbers: negative when a is the older.
func psnDiff(a, b uint32) int { return int(int32((a-b)<<8) >> 8) }
