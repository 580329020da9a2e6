package wire

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
	"sync"

	"dpukv/verbs"
)

const (
	IPv4Bytes = 20
	udpBytes  = 8
	// PseudoHeaderBytes is the length of the part before the BTH that the ICRC covers: the IPv4 and
	// the UDP header.
	PseudoHeaderBytes = IPv4Bytes + udpBytes

	// These are the offsets of the fields that differ from packet to packet.
	ipLengthOffset  = 2
	ipIDOffset      = 4
	udpLengthOffset = IPv4Bytes + 4

	// bthMaskOffset is the byte of the BTH that switches may change: FECN, BECN, reserved bits. The
	// ICRC takes it as ones.
	bthMaskOffset = 4

	MaxPacketBytes = maxHeaderBytes + MaxMTU

	// MaxPacketBytes is the length of the longest UDP payload. MaxSegments is the most packets per
	// train that every kernel with segmentation takes. A packet's place in its train is its IP ID.
	MaxSegments = 64
)

// differences are the effects of lengths and IP IDs on a CRC. A CRC is linear: changed bits change
// it by a function of those bits alone. So the CRC need not process the pseudo header for each
// packet. A flow keeps the CRC for length 0 and ID 0, and applies two differences from tables to
// it. A third one replaces the byte that switches may change, which so stays as it is in memory.
type differences struct {
	byLength [MaxPacketBytes/4 + 1]uint32
	byID     [MaxSegments]uint32
	byMask   [256]uint32 // by the byte at bthMaskOffset, which counts as 0xff
}

var pseudoDifferences = sync.OnceValue(func() *differences {
	d := new(differences)
	for i := range d.byLength {
		var h [PseudoHeaderBytes]byte
		binary.BigEndian.PutUint16(h[ipLengthOffset:], uint16(PseudoHeaderBytes+4*i))
		binary.BigEndian.PutUint16(h[udpLengthOffset:], uint16(udpBytes+4*i))
		d.byLength[i] = difference(&h)
	}
	for i := range d.byID {
		var h [PseudoHeaderBytes]byte
		binary.BigEndian.PutUint16(h[ipIDOffset:], uint16(i))
		d.byID[i] = difference(&h)
	}
	for i := range d.byMask {
		// The byte enters the CRC behind the bytes before it. The same change earlier is this one.
		d.byMask[i] = multiply(uint32(0xff^i), takeBack()[bthMaskOffset])
	}
	return d
})

// difference returns how the bits set in h change the CRC behind h, whatever the other bits are.
func difference(h *[PseudoHeaderBytes]byte) uint32 {
	return crc32.ChecksumIEEE(h[:]) ^ crc32.ChecksumIEEE(make([]byte, PseudoHeaderBytes))
}

// Flow is the common part of the ICRCs of all packets from one socket to another.
type Flow struct {
	crc         uint32 // behind the pseudo header with lengths and IP ID 0
	differences *differences
	srcPort     uint16
	ipHeader    [IPv4Bytes]byte // with ones in the fields that routers may change
}

// NewFlow prepares the ICRCs of the packets from src to dst.
func NewFlow(src, dst netip.AddrPort) Flow {
	const dontFragment, protocolUDP = 0x40, 17
	// Eight ones stand for InfiniBand's link layer header, which RoCE lacks.
	b := [8 + PseudoHeaderBytes]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	h := b[8:]
	h[0], h[6], h[9] = 0x45, dontFragment, protocolUDP
	h[1], h[8], h[10], h[11] = 0xff, 0xff, 0xff, 0xff
	s, d := src.Addr().As4(), dst.Addr().As4()
	copy(h[12:], s[:])
	copy(h[16:], d[:])
	binary.BigEndian.PutUint16(h[IPv4Bytes:], src.Port())
	binary.BigEndian.PutUint16(h[IPv4Bytes+2:], dst.Port())
	h[IPv4Bytes+6], h[IPv4Bytes+7] = 0xff, 0xff
	return Flow{
		crc: crc32.ChecksumIEEE(b[:]), differences: pseudoDifferences(),
		srcPort: src.Port(), ipHeader: [IPv4Bytes]byte(h),
	}
}

// icrc returns the ICRC of b, a UDP payload of at most MaxPacketBytes and a multiple of four. It
// ignores the last four bytes, the ICRC's place. The ID must be below MaxSegments.
func (f *Flow) icrc(b []byte, ipID uint16) uint32 {
	d := f.differences
	crc := f.crc ^ d.byLength[len(b)/4] ^ d.byID[ipID] ^ d.byMask[b[bthMaskOffset]]
	return update(crc, b[:len(b)-ICRCBytes])
}

// Seal puts a packet's ICRC in its place. The ID must be below MaxSegments.
func (f *Flow) Seal(b []byte, ipID uint16) {
	binary.LittleEndian.PutUint32(b[len(b)-ICRCBytes:], f.icrc(b, ipID))
}

// PutIPHeader writes the IPv4 header of a packet with this many bytes of UDP payload. Fields that
// the ICRC leaves out, and that a UDP socket does not show, are zero: TOS, TTL and the checksum.
func (f *Flow) PutIPHeader(h []byte, payloadBytes int, ipID uint16) {
	copy(h, f.ipHeader[:])
	h[1], h[8], h[10], h[11] = 0, 0, 0, 0
	binary.BigEndian.PutUint16(h[ipLengthOffset:], uint16(PseudoHeaderBytes+payloadBytes))
	binary.BigEndian.PutUint16(h[ipIDOffset:], ipID)
}

// maxCovered is the most bytes that the ICRC covers from the ID on.
const maxCovered = PseudoHeaderBytes - ipIDOffset + MaxPacketBytes

// takeBack[n] is x^-8n modulo the CRC's polynomial. A multiplication by it undoes the effect of n
// bytes on a difference.
var takeBack = sync.OnceValue(func() *[maxCovered + 1]uint32 {
	table := new([maxCovered + 1]uint32)
	v := uint32(1 << 31) // the polynomial 1, in the reflected order of bits
	for n := range table {
		table[n] = v
		for range 8 {
			if v&(1<<31) != 0 {
				v = (v^crc32.IEEE)<<1 | 1
			} else {
				v <<= 1
			}
		}
	}
	return table
})

// multiply multiplies two polynomials modulo the CRC's.
func multiply(a, b uint32) uint32 {
	product := uint32(0)
	for ; a != 0; a <<= 1 {
		product ^= b & -(a >> 31)
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}

// CheckICRC verifies b's ICRC and returns its IP ID. A sender on the RoCE port itself is a softroce
// device: its ID is a place in a train, so at least 26 bits are checked. For other senders 16 bits
// are checked if the guess is wrong.
//
// The ICRC covers the IP ID, which a UDP socket does not show. A softroce device sends 0 or, with
// segmentation, the place in the train, so a guess is mostly right. Other senders count or draw
// their IDs. For them CheckICRC solves the equation. It takes the difference between the received
// ICRC and the one computed with a guess. It moves that difference back over all bytes that follow
// the ID. The low 16 bits then show how the ID differs from the guess. The high 16 bits are zero if
// nothing else differs.
func (f *Flow) CheckICRC(b []byte, guess uint16) (uint16, bool) {
	if guess >= MaxSegments {
		guess = 0
	}
	got := binary.LittleEndian.Uint32(b[len(b)-ICRCBytes:])
	difference := f.icrc(b, guess) ^ got
	if difference == 0 {
		return guess, true
	}
	d := multiply(difference, takeBack()[PseudoHeaderBytes-ipIDOffset+len(b)-ICRCBytes])
	// The ID's first byte entered the CRC in its lowest bits.
	id := guess ^ (uint16(d)<<8 | uint16(d)>>8)
	return id, d>>16 == 0 && (f.srcPort != verbs.RoCEPort || id < MaxSegments)
}
