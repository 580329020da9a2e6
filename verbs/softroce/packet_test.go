package softroce

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"

	"dpukv/verbs"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must(hex.DecodeString(s))(t)
}

// TestHeaders: every header's bytes, as the annex and the specification's chapter 9 draw them.
func TestHeaders(t *testing.T) {
	for name, test := range map[string]struct {
		packet packet
		wire   string // without the ICRC
	}{
		"UC write only": {
			packet{op: 0x2a, dstQPN: 0x11, psn: 0x3e8, va: 0x7f7d904fb064, rkey: 0x2bf, dmaLen: 4, payload: []byte("WAP!")},
			"2a00ffff00000011000003e8" + "00007f7d904fb064000002bf00000004" + "57415021",
		},
		"UC write last with immediate, padded": {
			packet{op: 0x29, dstQPN: 0xabcdef, psn: 0xffffff, imm: 0xdeadbeef, solicited: true, payload: []byte{1}},
			"29b0ffff00abcdef00ffffff" + "deadbeef" + "01000000",
		},
		"UC write only with immediate": {
			packet{op: 0x2b, dstQPN: 0x4242, psn: 0x123457, va: 0xdeadbeef00112233, rkey: 0xcafe0001, imm: 0x1234},
			"2b00ffff0000424200123457" + "deadbeef00112233cafe000100000000" + "00001234",
		},
		"UD send": {
			packet{op: 0x64, dstQPN: 0x12, psn: 1, qkey: 0x11111111, srcQPN: 0x777, payload: []byte{1, 2}},
			"6420ffff0000001200000001" + "1111111100000777" + "01020000",
		},
		"UD send with immediate": {
			packet{op: 0x65, dstQPN: 0x12, psn: 2, qkey: 0x11111111, srcQPN: 0x777, imm: 0x1234},
			"6500ffff0000001200000002" + "1111111100000777" + "00001234",
		},
		"RC send middle that asks for an ACK": {
			packet{op: 0x01, dstQPN: 7, psn: 9, ackReq: true, payload: make([]byte, 4)},
			"0100ffff0000000780000009" + "00000000",
		},
		"RC READ request": {
			packet{op: 0x0c, dstQPN: 7, psn: 9, va: 1, rkey: 2, dmaLen: 3},
			"0c00ffff0000000700000009" + "00000000000000010000000200000003",
		},
		"RC READ response": {
			packet{op: 0x10, dstQPN: 7, psn: 9, syndrome: 0x1f, msn: 0x123456, payload: []byte{1, 2, 3}},
			"1010ffff0000000700000009" + "1f123456" + "01020300",
		},
		"RC NAK": {
			packet{op: 0x11, dstQPN: 7, psn: 9, syndrome: 0x60, msn: 1},
			"1100ffff0000000700000009" + "60000001",
		},
	} {
		b := bytes.Repeat([]byte{0xaa}, test.packet.wireBytes())
		test.packet.put(b)
		if got := hex.EncodeToString(b[:len(b)-icrcBytes]); got != test.wire {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.wire)
		}
		var back packet
		if why := back.parse(b); why != noDrop {
			t.Errorf("%s: refused: %s", name, counterNames[why])
		}
		again := make([]byte, back.wireBytes())
		back.put(again)
		if !bytes.Equal(again[:len(b)-icrcBytes], b[:len(b)-icrcBytes]) {
			t.Errorf("%s: parsed and written again: % x", name, again)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := "2a00ffff00000011000003e8" + "00007f7d904fb064000002bf00000004" + "57415021" + "00000000"
	change := func(at int, to byte) []byte {
		b := unhex(t, good)
		b[at] = to
		return b
	}
	for name, test := range map[string]struct {
		wire []byte
		why  counter
	}{
		"as it is":            {unhex(t, good), noDrop},
		"empty":               {nil, badPacket},
		"only a BTH":          {unhex(t, good)[:12], badPacket},
		"cut":                 {unhex(t, good)[:24], badPacket},
		"no multiple of four": {unhex(t, good)[:35], badPacket},
		"version 1":           {change(1, 1), badPacket},
		"partition":           {change(3, 0xfe), badPKey},
		"RD":                  {change(0, 0x4a), badOpcode},
		"UD write":            {change(0, 0x6a), badOpcode},
		"UC read":             {change(0, 0x2c), badOpcode},
		"RC compare and swap": {change(0, 0x13), badOpcode},
		"padding of no payload": {
			unhex(t, "6410ffff0000001200000001"+"1111111100000777"+"00000000"), badPacket,
		},
	} {
		var p packet
		if why := p.parse(test.wire); why != test.why {
			t.Errorf("%s: %q, want %q", name, counterNames[why], counterNames[test.why])
		}
	}
}

func TestPSNDiff(t *testing.T) {
	for _, test := range []struct {
		a, b uint32
		want int
	}{{5, 3, 2}, {3, 5, -2}, {0, psnMask, 1}, {psnMask, 0, -1}, {7, 7, 0}, {1 << 23, 0, -1 << 23}, {1<<23 - 1, 0, 1<<23 - 1}} {
		if got := psnDiff(test.a, test.b); got != test.want {
			t.Errorf("psnDiff(%#x, %#x) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// flowOf is that of an IP packet, whose UDP payload it returns too, with the IP ID.
func flowOf(ip []byte) (flow, []byte, uint16) {
	src, dst := netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
	port := func(at int) uint16 { return uint16(ip[at])<<8 | uint16(ip[at+1]) }
	return newFlow(netip.AddrPortFrom(src, port(20)), netip.AddrPortFrom(dst, port(22))), ip[28:], port(4)
}

// TestICRCIDs: whatever the ID is, it is found, and nothing else passes for one.
func TestICRCIDs(t *testing.T) {
	here, there := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	for _, port := range []uint16{verbs.RoCEPort, 0xe673} {
		f := newFlow(netip.AddrPortFrom(here, port), netip.AddrPortFrom(there, verbs.RoCEPort))
		p := packet{op: transportUC | opWriteOnly, psn: 7, dmaLen: 50, payload: make([]byte, 50)}
		b := make([]byte, p.wireBytes())
		p.put(b)
		for _, id := range []int{0, 1, 63} {
			f.seal(b, uint16(id))
			for _, guess := range []uint16{0, 5, 63, 64, 65535} {
				if got, ok := f.checkICRC(b, guess); !ok || got != uint16(id) {
					t.Errorf("port %d, ID %d, guess %d: %d, %v", port, id, guess, got, ok)
				}
			}
		}
		f.seal(b, 0)
		for i := range b {
			for bit := range 8 {
				b[i] ^= 1 << bit
				if _, ok := f.checkICRC(b, 0); ok && i != bthMaskOffset {
					t.Errorf("port %d: bit %d of byte %d flipped: accepted", port, bit, i)
				}
				b[i] ^= 1 << bit
			}
		}
	}
}
