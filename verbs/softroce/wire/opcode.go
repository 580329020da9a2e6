package wire

import "dpukv/verbs"

// Opcode is the first byte of a BTH: the transport service in the high three bits, the operation in
// the low five.
type Opcode uint8

// These are the transport services, the high bits of an opcode.
const (
	TransportRC Opcode = 0x00
	TransportUC Opcode = 0x20
	TransportUD Opcode = 0x60

	TransportMask Opcode = 0xe0
)

// These are the operations, the low bits of an opcode.
const (
	OpSendFirst Opcode = iota
	OpSendMiddle
	OpSendLast
	OpSendLastImm
	OpSendOnly
	OpSendOnlyImm
	OpWriteFirst
	OpWriteMiddle
	OpWriteLast
	OpWriteLastImm
	OpWriteOnly
	OpWriteOnlyImm
	OpReadRequest
	OpReadFirst
	OpReadMiddle
	OpReadLast
	OpReadOnly
	OpAck

	OpMask Opcode = 0x1f
)

// Kind is the kind of message that a packet is part of.
type Kind uint8

const (
	NoKind Kind = iota
	KindSend
	KindWrite
	KindReadRequest
	KindReadResponse
	KindAck
)

// Shape describes the packets of an operation.
type Shape struct {
	Kind            Kind
	First, Last     bool // of its message
	RETH, AETH, Imm bool // extension headers
}

// shapes are the shapes of the implemented operations, by opcode without the transport.
var shapes = [OpMask + 1]Shape{
	OpSendFirst:    {Kind: KindSend, First: true},
	OpSendMiddle:   {Kind: KindSend},
	OpSendLast:     {Kind: KindSend, Last: true},
	OpSendLastImm:  {Kind: KindSend, Last: true, Imm: true},
	OpSendOnly:     {Kind: KindSend, First: true, Last: true},
	OpSendOnlyImm:  {Kind: KindSend, First: true, Last: true, Imm: true},
	OpWriteFirst:   {Kind: KindWrite, First: true, RETH: true},
	OpWriteMiddle:  {Kind: KindWrite},
	OpWriteLast:    {Kind: KindWrite, Last: true},
	OpWriteLastImm: {Kind: KindWrite, Last: true, Imm: true},
	OpWriteOnly:    {Kind: KindWrite, First: true, Last: true, RETH: true},
	OpWriteOnlyImm: {Kind: KindWrite, First: true, Last: true, RETH: true, Imm: true},
	OpReadRequest:  {Kind: KindReadRequest, First: true, Last: true, RETH: true},
	OpReadFirst:    {Kind: KindReadResponse, First: true, AETH: true},
	OpReadMiddle:   {Kind: KindReadResponse},
	OpReadLast:     {Kind: KindReadResponse, Last: true, AETH: true},
	OpReadOnly:     {Kind: KindReadResponse, First: true, Last: true, AETH: true},
	OpAck:          {Kind: KindAck, First: true, Last: true, AETH: true},
}

// Shape returns the shape of the opcode's operation.
func (o Opcode) Shape() *Shape { return &shapes[o&OpMask] }

// Known reports whether the device supports the opcode. It supports all of RC, UC without reads and
// acknowledgements, and UD sends of one packet.
func (o Opcode) Known() bool {
	low := o & OpMask
	switch o & TransportMask {
	case TransportRC:
		return low <= OpAck
	case TransportUC:
		return low <= OpWriteOnlyImm
	case TransportUD:
		return low == OpSendOnly || low == OpSendOnlyImm
	}
	return false
}

// TransportOf returns the transport service of a type of queue pair.
func TransportOf(t verbs.QPType) Opcode {
	switch t {
	case verbs.UC:
		return TransportUC
	case verbs.UD:
		return TransportUD
	}
	return TransportRC
}

// SendOpcode returns the opcode, without the transport, of the i-th of n packets of a message.
func SendOpcode(op verbs.SendOp, i, n int) Opcode {
	first, last := i == 0, i == n-1
	base, imm := OpSendFirst, op == verbs.OpSendImm
	if op == verbs.OpWrite || op == verbs.OpWriteImm {
		base, imm = OpWriteFirst, op == verbs.OpWriteImm
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

// ReadOpcode returns the opcode of the i-th of n packets that answer a READ request.
func ReadOpcode(i, n int) Opcode {
	switch first, last := i == 0, i == n-1; {
	case first && last:
		return OpReadOnly
	case first:
		return OpReadFirst
	case last:
		return OpReadLast
	}
	return OpReadMiddle
}
