package softroce

import "dpukv/verbs"

// opcode is the first byte of a BTH: the transport service in its high three bits, the operation in its low
// five.
type opcode uint8

// Transport services, as an opcode has them.
const (
	transportRC opcode = 0x00
	transportUC opcode = 0x20
	transportUD opcode = 0x60

	transportMask opcode = 0xe0
)

// Operations, as an opcode has them.
const (
	opSendFirst opcode = iota
	opSendMiddle
	opSendLast
	opSendLastImm
	opSendOnly
	opSendOnlyImm
	opWriteFirst
	opWriteMiddle
	opWriteLast
	opWriteLastImm
	opWriteOnly
	opWriteOnlyImm
	opReadRequest
	opReadFirst
	opReadMiddle
	opReadLast
	opReadOnly
	opAck

	opMask opcode = 0x1f
)

// kind is what a packet is part of.
type kind uint8

const (
	kindNone kind = iota
	kindSend
	kindWrite
	kindReadRequest
	kindReadResponse
	kindAck
)

// shape is what an operation's packets look like.
type shape struct {
	kind             kind
	first, last      bool // of its message
	reth, aeth, immd bool // extension headers
}

// shapes of the operations that are implemented, by opcode without the transport.
var shapes = [opMask + 1]shape{
	opSendFirst:    {kind: kindSend, first: true},
	opSendMiddle:   {kind: kindSend},
	opSendLast:     {kind: kindSend, last: true},
	opSendLastImm:  {kind: kindSend, last: true, immd: true},
	opSendOnly:     {kind: kindSend, first: true, last: true},
	opSendOnlyImm:  {kind: kindSend, first: true, last: true, immd: true},
	opWriteFirst:   {kind: kindWrite, first: true, reth: true},
	opWriteMiddle:  {kind: kindWrite},
	opWriteLast:    {kind: kindWrite, last: true},
	opWriteLastImm: {kind: kindWrite, last: true, immd: true},
	opWriteOnly:    {kind: kindWrite, first: true, last: true, reth: true},
	opWriteOnlyImm: {kind: kindWrite, first: true, last: true, reth: true, immd: true},
	opReadRequest:  {kind: kindReadRequest, first: true, last: true, reth: true},
	opReadFirst:    {kind: kindReadResponse, first: true, aeth: true},
	opReadMiddle:   {kind: kindReadResponse},
	opReadLast:     {kind: kindReadResponse, last: true, aeth: true},
	opReadOnly:     {kind: kindReadResponse, first: true, last: true, aeth: true},
	opAck:          {kind: kindAck, first: true, last: true, aeth: true},
}

func (o opcode) shape() *shape { return &shapes[o&opMask] }

// known tells whether this device speaks the opcode: RC all, UC no reads and acknowledgements, UD only sends of
// one packet.
func (o opcode) known() bool {
	low := o & opMask
	switch o & transportMask {
	case transportRC:
		return low <= opAck
	case transportUC:
		return low <= opWriteOnlyImm
	case transportUD:
		return low == opSendOnly || low == opSendOnlyImm
	}
	return false
}

// transportOf is what a QP's packets have in their opcodes.
func transportOf(t verbs.QPType) opcode {
	switch t {
	case verbs.UC:
		return transportUC
	case verbs.UD:
		return transportUD
	}
	return transportRC
}

// sendOpcode is the opcode, without the transport, of the i-th of n packets of a message.
func sendOpcode(op verbs.SendOp, i, n int) opcode {
	first, last := i == 0, i == n-1
	base, imm := opSendFirst, op == verbs.OpSendImm
	if op == verbs.OpWrite || op == verbs.OpWriteImm {
		base, imm = opWriteFirst, op == verbs.OpWriteImm
	}
	o := base + 1 // middle
	switch {
	case first && last:
		o = base + 4
	case first:
		return base
	case last:
		o = base + 2
	}
	if imm && last {
		o++
	}
	return o
}

// readOpcode is the opcode of the i-th of n packets that answer a READ request.
func readOpcode(i, n int) opcode {
	switch first, last := i == 0, i == n-1; {
	case first && last:
		return opReadOnly
	case first:
		return opReadFirst
	case last:
		return opReadLast
	}
	return opReadMiddle
}
