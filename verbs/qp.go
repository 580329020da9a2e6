package verbs

// QPType is a transport service.
type QPType uint8

// The services: unreliable connection, unreliable datagram, reliable connection.
const (
	UC QPType = 1 + iota
	UD
	RC
)

func (t QPType) String() string {
	return [...]string{"invalid", "UC", "UD", "RC"}[min(t, RC)]
}

// QPConfig is what a queue pair is made with.
type QPConfig struct {
	Type           QPType
	SendCQ, RecvCQ CQ
	// MaxSend and MaxRecv are the depths of the queues, in work requests.
	MaxSend, MaxRecv int
	MaxInline        int    // bytes
	QKey             uint32 // UD only
	// FlowLabel, of 20 bits, goes with all packets that a UC or RC QP sends (ibv_ah_attr's
	// grh.flow_label); 0: the provider chooses. With RoCE v2 their UDP source port follows from it:
	// see [UDPSourcePort].
	FlowLabel uint32
}

// QP is a queue pair.
type QP interface {
	Num() uint32
	Type() QPType
	// Local is what a peer needs to connect to, or send to, this QP.
	Local() Endpoint
	// Connect brings a UC or RC QP to ready-to-send towards a peer, and a
	// UD QP to ready-to-send towards all; it then ignores the peer.
	Connect(peer Endpoint) error
	// PostSend posts work requests in order, and returns how many were
	// taken before an error ([ErrQueueFull] when the queue has no room).
	PostSend(wrs []SendWR) (int, error)
	// PostRecv posts receive buffers in order, likewise.
	PostRecv(wrs []RecvWR) (int, error)
	Close() error
}

// SendOp is what a send work request does.
type SendOp uint8

// The operations. READ is RC's alone.
const (
	OpWrite SendOp = 1 + iota
	OpWriteImm
	OpSend
	OpSendImm
	OpRead
)

// SendFlags change how a work request is done.
type SendFlags uint8

// The flags.
const (
	// Signaled makes a completion; without it there is one only on error.
	Signaled SendFlags = 1 << iota
	// Inline takes the data at once: its memory may be used again when PostSend returns.
	Inline
	// Solicited asks for the peer's attention.
	Solicited
)

// SendWR is a work request of the send queue. It holds no Go pointers.
type SendWR struct {
	ID     uint64
	Local  SGE
	Remote uint64 // address at the peer: writes and reads
	RKey   uint32
	Imm    uint32 // in host byte order; what the peer's WC shows
	AH     uint32 // UD: handle of the address
	QPN    uint32 // UD: the peer's
	QKey   uint32 // UD
	Op     SendOp
	Flags  SendFlags
}

// RecvWR is a work request of the receive queue.
type RecvWR struct {
	ID    uint64
	Local SGE // a UD buffer must have GRHBytes more than the payload, at its start
}

// SGE is the local memory of a work request.
type SGE struct {
	Addr   uint64
	Length uint32
	LKey   uint32
}

// GRHBytes is what a UD receive buffer starts with: the global routing header, or nothing of use.
const GRHBytes = 40

// WC is a work completion.
type WC struct {
	ID     uint64
	Bytes  uint32 // received; of a UD receive GRHBytes are in it
	Imm    uint32 // valid with HasImm
	QPN    uint32 // of the local QP
	SrcQPN uint32 // UD receives
	Op     WCOp
	Status WCStatus
	HasImm bool
	_      [5]byte
}

// WCOp is what completed.
type WCOp uint8

// The operations completed.
const (
	WCSend WCOp = 1 + iota
	WCWrite
	WCRead
	WCRecv
	WCRecvWriteImm // a peer's write with immediate
)
