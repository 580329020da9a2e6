package softroce

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
	"sync"
)

const (
	ipv4Bytes = 20
	udpBytes  = 8
	// pseudoBytes is what the ICRC covers before the BTH: the IPv4 and the UDP header.
	pseudoBytes = ipv4Bytes + udpBytes

	// Where the fields lie that differ from packet to packet.
	ipLengthOffset  = 2
	ipIDOffset      = 4
	udpLengthOffset = ipv4Bytes + 4

	// bthMaskOffset is the byte of the BTH that switches may change: FECN, BECN, reserved bits. It counts as
	// ones.
	bthMaskOffset = 4

	maxPacketBytes = maxHeaderBytes + maxMTU
)

// A CRC is linear: that of a header with some bits changed differs by what is a function of those bits alone.
// So the pseudo header is not fed to the CRC for each packet: it is that of length 0 and ID 0, which a flow
// keeps, with two looked up differences applied. The BTH and what follows lie in one piece.
type differences struct {
	byLength [maxPacketBytes/4 + 1]uint32
	byID     [maxSegments]uint32
}

var pseudoDifferences = sync.OnceValue(func() *differences {
	d := new(differences)
	for i := range d.byLength {
		var h [pseudoBytes]byte
		binary.BigEndian.PutUint16(h[ipLengthOffset:], uint16(pseudoBytes+4*i))
		binary.BigEndian.PutUint16(h[udpLengthOffset:], uint16(udpBytes+4*i))
		d.byLength[i] = difference(&h)
	}
	for i := range d.byID {
		var h [pseudoBytes]byte
		binary.BigEndian.PutUint16(h[ipIDOffset:], uint16(i))
		d.byID[i] = difference(&h)
	}
	return d
})

// difference is what the bits set in h change in the CRC behind h, whatever the other bits are.
func difference(h *[pseudoBytes]byte) uint32 {
	return crc32.ChecksumIEEE(h[:]) ^ crc32.ChecksumIEEE(make([]byte, pseudoBytes))
}

// flow is what the ICRCs of all packets from one socket to another share.
type flow struct {
	crc         uint32 // behind the pseudo header with lengths and IP ID 0
	differences *differences
	srcPort     uint16
	ipHeader    [ipv4Bytes]byte // with what routers may change as ones
}

func newFlow(src, dst netip.AddrPort) flow {
	const dontFragment, protocolUDP = 0x40, 17
	// Eight ones stand for the header of InfiniBand's link layer, which RoCE has not, so that the ICRC is made
	// in one way.
	b := [8 + pseudoBytes]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	h := b[8:]
	h[0], h[1], h[6], h[8], h[9], h[10], h[11] = 0x45, 0xff, dontFragment, 0xff, protocolUDP, 0xff, 0xff
	s, d := src.Addr().As4(), dst.Addr().As4()
	copy(h[12:], s[:])
	copy(h[16:], d[:])
	binary.BigEndian.PutUint16(h[ipv4Bytes:], src.Port())
	binary.BigEndian.PutUint16(h[ipv4Bytes+2:], dst.Port())
	h[ipv4Bytes+6], h[ipv4Bytes+7] = 0xff, 0xff
	return flow{
		crc: crc32.ChecksumIEEE(b[:]), differences: pseudoDifferences(), srcPort: src.Port(), ipHeader: [ipv4Bytes]byte(h),
	}
}

// icrc is that of b, a UDP payload of at most maxPacketBytes and a multiple of four. The last four bytes, where
// the ICRC has its place, are not looked at; b[bthMaskOffset] must be 0xff. The ID must be below maxSegments.
func (f *flow) icrc(b []byte, ipID uint16) uint32 {
	crc := f.crc ^ f.differences.byLength[len(b)/4] ^ f.differences.byID[ipID]
	return crc32.Update(crc, crc32.IEEETable, b[:len(b)-icrcBytes])
}

// seal puts a packet's ICRC in its place.
func (f *flow) seal(b []byte, ipID uint16) {
	b[bthMaskOffset] = 0xff
	binary.LittleEndian.PutUint32(b[len(b)-icrcBytes:], f.icrc(b, ipID))
	b[bthMaskOffset] = 0
}
