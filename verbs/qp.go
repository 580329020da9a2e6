package verbs

// QPType is a transport service.
type QPType uint8

// These are the services: unreliable connection, unreliable datagram, reliable connection.
const (
	UC QPType = 1 + iota
	UD
	RC
)

func (t QPType) String() string {
	return [...]string{"invalid", "UC", "UD", "RC"}[min(t, RC)]
}

// QPConfig configures a queue pair.
type QPConfig struct {
	Type           QPType
	SendCQ, RecvCQ CQ
	// MaxSend and MaxRecv are the depths of the queues, in work requests.
	MaxSend, MaxRecv int
	MaxInline        int    // bytes
	QKey             uint32 // UD only
	// FlowLabel has 20 bits. All packets of a UC or RC QP carry it (ibv_ah_attr's grh.flow_label).
	// 0: the provider chooses. With RoCE v2 it determines their UDP source port: see
	// [UDPSourcePort].
	FlowLabel uint32
}

// QP is a queue pair.
type QP interface {
	Num() uint32
	Type() QPType
	// Local describes this QP to a peer that connects to it or sends to it.
	Local() Endpoint
	// Connect brings a UC or RC QP to ready-to-send towards a peer. It brings a UD QP to
	// ready-to-send towards all peers, and ignores its argument.
	Connect(peer Endpoint) error
	// PostSend posts work requests in order. It returns the number posted before an error
	// ([ErrQueueFull] when the queue has no room).
	PostSend(wrs []SendWR) (int, error)
	// PostRecv posts receive buffers in order, in the same way.
	PostRecv(wrs []RecvWR) (int, error)
	Close() error
}

// SendOp is the operation of a send work request.
type SendOp uint8

// These are the operations. Only RC has READ.
const (
	OpWrite SendOp = 1 + iota
	OpWriteImm
	OpSend
	OpSendImm
	OpRead
)

// Completion returns the operation of a request's completion.
func (o SendOp) Completion() WCOp {
	switch o {
	case OpWrite, OpWriteImm:
		return WCWrite
	case OpRead:
		return WCRead
	}
	return WCSend
}

// SendFlags modify a work request.
type SendFlags uint8

// These are the flags.
const (
	// Signaled requests a completion. Without it only an error makes one.
	Signaled SendFlags = 1 << iota
	// Inline copies the data at once: the caller may reuse its memory when PostSend returns.
	Inline
	// Solicited requests a solicited event at the peer.
	Solicited
)

// SendWR is a work request of the send queue. It holds no Go pointers.
type SendWR struct {
	ID     uint64
	Local  SGE
	Remote uint64 // address at the peer, for writes and reads
	RKey   uint32
	Imm    uint32 // in host byte order, as in the peer's WC
	AH     uint32 // UD: address handle
	QPN    uint32 // UD: the peer's
	QKey   uint32 // UD
	Op     SendOp
	Flags  SendFlags
}

// RecvWR is a work request of the receive queue.
type RecvWR struct {
	ID    uint64
	Local SGE // a UD buffer starts with GRHBytes more than the payload
}

// SGE is the local memory of a work request.
type SGE struct {
	Addr   uint64
	Length uint32
	LKey   uint32
}

// GRHBytes is the size of the start of a UD receive buffer: the global routing header, or undefined
// bytes.
const GRHBytes = 40

// WC is a work completion.
type WC struct {
	ID     uint64
	Bytes  uint32 // received; for a UD receive GRHBytes included
	Imm    uint32 // valid with HasImm
	QPN    uint32 // local QP
	SrcQPN uint32 // UD receives
	Op     WCOp
	Status WCStatus
	HasImm bool
	_      [5]byte
}

// WCOp is the completed operation.
type WCOp uint8

// These are the completed operations.
const (
	WCSend WCOp = 1 + iota
	WCWrite
	WCRead
	WCRecv
	WCRecvWriteImm // a peer's write with immediate
)
