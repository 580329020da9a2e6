package verbstest

import (
	"fmt"
	"strings"

	"dpukv/verbs"
)

// fault is a deliberate error in a case's work requests.
type fault string

const (
	noFault      fault = ""
	badRKey      fault = "bad rkey"
	outOfRange   fault = "out of range"
	noPermission fault = "no permission"
	badQKey      fault = "bad qkey"
)

// testCase is one operation, executed count times as one post list.
type testCase struct {
	Type   verbs.QPType
	Op     verbs.SendOp
	Size   int
	Count  int
	Inline bool
	Fault  fault
	// FromPeer reverses the direction: the peer starts the operation.
	FromPeer bool
	// Seed makes the bytes of every attempt different.
	Seed uint32
}

var opNames = map[verbs.SendOp]string{
	verbs.OpWrite: "write", verbs.OpWriteImm: "write-imm", verbs.OpSend: "send",
	verbs.OpSendImm: "send-imm", verbs.OpRead: "read",
}

func (c testCase) String() string {
	parts := []string{c.Type.String(), opNames[c.Op], fmt.Sprint(c.Size)}
	if c.Count > 1 {
		parts = append(parts, fmt.Sprint("x", c.Count))
	}
	if c.Inline {
		parts = append(parts, "inline")
	}
	if c.Fault != noFault {
		parts = append(parts, strings.ReplaceAll(string(c.Fault), " ", "-"))
	}
	if c.FromPeer {
		parts = append(parts, "from-peer")
	}
	return strings.Join(parts, ",")
}

// received reports whether the target needs a posted receive.
func (c testCase) received() bool { return c.Op != verbs.OpWrite && c.Op != verbs.OpRead }

func (c testCase) hasImm() bool { return c.Op == verbs.OpWriteImm || c.Op == verbs.OpSendImm }

// written reports whether the initiator chooses the address of the data.
func (c testCase) written() bool { return c.Op == verbs.OpWrite || c.Op == verbs.OpWriteImm }

// imm returns the immediate of message i.
func (c testCase) imm(i int) uint32 { return c.Seed<<8 ^ 0xc0ffee00 ^ uint32(i) }

// fill writes message i.
func (c testCase) fill(b []byte, i int) {
	x := c.Seed*2654435761 + uint32(i)*40503 + 1
	for j := range b {
		x = x*1664525 + 1013904223
		b[j] = byte(x >> 24)
	}
}

// cases returns all cases, for devices with this MTU and inline limit.
func cases(mtu, inline int) []testCase {
	var all []testCase
	add := func(c testCase) {
		for _, fromPeer := range []bool{false, true} {
			c.FromPeer = fromPeer
			all = append(all, c)
		}
	}
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC} {
		for _, op := range operations[typ] {
			for _, size := range sizes(typ, mtu) {
				add(testCase{Type: typ, Op: op, Size: size, Count: 1})
			}
			add(testCase{Type: typ, Op: op, Size: 50, Count: 16})
			if op != verbs.OpRead && inline > 0 {
				add(testCase{Type: typ, Op: op, Size: min(inline, 32), Count: 1, Inline: true})
				add(testCase{Type: typ, Op: op, Size: min(inline, mtu), Count: 16, Inline: true})
			}
		}
	}
	for _, c := range faults {
		add(c)
	}
	return all
}

var operations = map[verbs.QPType][]verbs.SendOp{
	verbs.UC: {verbs.OpWrite, verbs.OpWriteImm, verbs.OpSend, verbs.OpSendImm},
	verbs.UD: {verbs.OpSend, verbs.OpSendImm},
	verbs.RC: {verbs.OpWrite, verbs.OpWriteImm, verbs.OpSend, verbs.OpSendImm, verbs.OpRead},
}

// sizes covers every boundary: padding, one packet, several. A burst of an unreliable service stays
// small enough for a socket's buffer.
func sizes(typ verbs.QPType, mtu int) []int {
	switch typ {
	case verbs.UD:
		return []int{1, 2, 3, 4, 33, mtu - 1, mtu}
	case verbs.UC:
		return []int{1, 2, 3, 4, 33, mtu - 1, mtu, mtu + 1, 3*mtu - 2, 16 << 10}
	}
	return []int{1, 2, 3, 4, 33, mtu - 1, mtu, mtu + 1, 3*mtu - 2, 16 << 10, 1 << 20}
}

var faults = []testCase{
	{Type: verbs.RC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: badRKey},
	{Type: verbs.RC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: outOfRange},
	{Type: verbs.RC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: noPermission},
	{Type: verbs.RC, Op: verbs.OpRead, Size: 100, Count: 1, Fault: badRKey},
	{Type: verbs.RC, Op: verbs.OpRead, Size: 100, Count: 1, Fault: outOfRange},
	{Type: verbs.RC, Op: verbs.OpRead, Size: 100, Count: 1, Fault: noPermission},
	{Type: verbs.UC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: badRKey},
	{Type: verbs.UC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: outOfRange},
	{Type: verbs.UC, Op: verbs.OpWrite, Size: 100, Count: 1, Fault: noPermission},
	{Type: verbs.UD, Op: verbs.OpSend, Size: 100, Count: 1, Fault: badQKey},
}
