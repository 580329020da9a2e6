package wire

import (
	"bytes"
	"encoding/hex"
	"testing"

	"dpukv/internal/test/must"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(s))(t)
}

// TestHeaders checks every header's bytes against the annex and the specification's chapter 9.
func TestHeaders(t *testing.T) {
	for name, test := range map[string]struct {
		packet Packet
		wire   string // without the ICRC
	}{
		"UC write only": {
			Packet{
				Op: 0x2a, DstQPN: 0x11, PSN: 0x3e8, VA: 0x7f7d904fb064, RKey: 0x2bf, DMALen: 4,
				Payload: []byte("WAP!"),
			},
			"2a00ffff00000011000003e8" + "00007f7d904fb064000002bf00000004" + "57415021",
		},
		"UC write last with immediate, padded": {
			Packet{Op: 0x29, DstQPN: 0xabcdef, PSN: 0xffffff, Imm: 0xdeadbeef, Solicited: true, Payload: []byte{1}},
			"29b0ffff00abcdef00ffffff" + "deadbeef" + "01000000",
		},
		"UC write only with immediate": {
			Packet{Op: 0x2b, DstQPN: 0x4242, PSN: 0x123457, VA: 0xdeadbeef00112233, RKey: 0xcafe0001, Imm: 0x1234},
			"2b00ffff0000424200123457" + "deadbeef00112233cafe000100000000" + "00001234",
		},
		"UD send": {
			Packet{Op: 0x64, DstQPN: 0x12, PSN: 1, QKey: 0x11111111, SrcQPN: 0x777, Payload: []byte{1, 2}},
			"6420ffff0000001200000001" + "1111111100000777" + "01020000",
		},
		"UD send with immediate": {
			Packet{Op: 0x65, DstQPN: 0x12, PSN: 2, QKey: 0x11111111, SrcQPN: 0x777, Imm: 0x1234},
			"6500ffff0000001200000002" + "1111111100000777" + "00001234",
		},
		"RC send middle that asks for an ACK": {
			Packet{Op: 0x01, DstQPN: 7, PSN: 9, AckReq: true, Payload: make([]byte, 4)},
			"0100ffff0000000780000009" + "00000000",
		},
		"RC READ request": {
			Packet{Op: 0x0c, DstQPN: 7, PSN: 9, VA: 1, RKey: 2, DMALen: 3},
			"0c00ffff0000000700000009" + "00000000000000010000000200000003",
		},
		"RC READ response": {
			Packet{Op: 0x10, DstQPN: 7, PSN: 9, Syndrome: 0x1f, MSN: 0x123456, Payload: []byte{1, 2, 3}},
			"1010ffff0000000700000009" + "1f123456" + "01020300",
		},
		"RC NAK": {
			Packet{Op: 0x11, DstQPN: 7, PSN: 9, Syndrome: 0x60, MSN: 1},
			"1100ffff0000000700000009" + "60000001",
		},
	} {
		b := bytes.Repeat([]byte{0xaa}, test.packet.Bytes())
		test.packet.Put(b)
		if got := hex.EncodeToString(b[:len(b)-ICRCBytes]); got != test.wire {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.wire)
		}
		var back Packet
		if why := back.Parse(b); why != WellFormed {
			t.Errorf("%s: refused: %d", name, why)
		}
		again := make([]byte, back.Bytes())
		back.Put(again)
		if !bytes.Equal(again[:len(b)-ICRCBytes], b[:len(b)-ICRCBytes]) {
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
		why  fault
	}{
		"as it is":            {unhex(t, good), WellFormed},
		"empty":               {nil, Malformed},
		"only a BTH":          {unhex(t, good)[:12], Malformed},
		"cut":                 {unhex(t, good)[:24], Malformed},
		"no multiple of four": {unhex(t, good)[:35], Malformed},
		"version 1":           {change(1, 1), Malformed},
		"partition":           {change(3, 0xfe), ForeignPKey},
		"RD":                  {change(0, 0x4a), ForeignOp},
		"UD write":            {change(0, 0x6a), ForeignOp},
		"UC read":             {change(0, 0x2c), ForeignOp},
		"RC compare and swap": {change(0, 0x13), ForeignOp},
		"padding of no payload": {
			unhex(t, "6410ffff0000001200000001"+"1111111100000777"+"00000000"), Malformed,
		},
	} {
		var p Packet
		if why := p.Parse(test.wire); why != test.why {
			t.Errorf("%s: fault %d, want %d", name, why, test.why)
		}
	}
}

func TestPSNDiff(t *testing.T) {
	for _, test := range []struct {
		a, b uint32
		want int
	}{
		{5, 3, 2},
		{3, 5, -2},
		{0, PSNMask, 1},
		{PSNMask, 0, -1},
		{7, 7, 0},
		{1 << 23, 0, -1 << 23},
		{1<<23 - 1, 0, 1<<23 - 1},
	} {
		if got := PSNDiff(test.a, test.b); got != test.want {
			t.Errorf("PSNDiff(%#x, %#x) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
