package wire

import (
	"net/netip"
	"testing"

	"dpukv/verbs"
)

// TestICRCIDs checks that CheckICRC finds any ID, and accepts no wrong packet.
func TestICRCIDs(t *testing.T) {
	here, there := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	for _, port := range []uint16{verbs.RoCEPort, 0xe673} {
		f := NewFlow(netip.AddrPortFrom(here, port), netip.AddrPortFrom(there, verbs.RoCEPort))
		p := Packet{Op: TransportUC | OpWriteOnly, PSN: 7, DMALen: 50, Payload: make([]byte, 50)}
		b := make([]byte, p.Bytes())
		p.Put(b)
		for _, id := range []int{0, 1, 63} {
			f.Seal(b, uint16(id))
			for _, guess := range []uint16{0, 5, 63, 64, 65535} {
				if got, ok := f.CheckICRC(b, guess); !ok || got != uint16(id) {
					t.Errorf("port %d, ID %d, guess %d: %d, %v", port, id, guess, got, ok)
				}
			}
		}
		f.Seal(b, 0)
		for i := range b {
			for bit := range 8 {
				b[i] ^= 1 << bit
				if _, ok := f.CheckICRC(b, 0); ok != (i == bthMaskOffset) {
					t.Errorf("port %d: bit %d of byte %d flipped: %v", port, bit, i, ok)
				}
				b[i] ^= 1 << bit
			}
		}
	}
}
