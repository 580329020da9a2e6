package perf

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"dpukv/verbs"
)

// pair is a queue pair and its memory.
type pair struct {
	number      int
	qp          verbs.QP
	mr          verbs.MR
	ah          verbs.AH // UD
	peer        introduction
	inline      int
	area        int            // bytes of out, and of in
	outstanding int            // sends without a polled completion
	unsignaled  int            // of these, since the last signaled one
	list        []verbs.SendWR // for post
	recvs       []verbs.RecvWR // for repost
	stocked     int            // posted receives
}

func (e *end) createPair() (*pair, error) {
	p := &pair{
		number: len(e.pairs), inline: e.cfg.Inline,
		area: (e.cfg.largest() + verbs.GRHBytes + 63) &^ 63,
		list: make([]verbs.SendWR, e.cfg.PostList), recvs: make([]verbs.RecvWR, e.cfg.RxDepth),
	}
	var err error
	p.mr, err = e.pd.AllocMR(2*p.area, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead)
	if err != nil {
		return nil, err
	}
	p.qp, err = e.pd.CreateQP(verbs.QPConfig{
		Type: e.cfg.Connection, SendCQ: e.sendCQ, RecvCQ: e.recvCQ,
		MaxSend: e.cfg.TxDepth, MaxRecv: e.cfg.RxDepth, MaxInline: p.inline, QKey: qkey,
	})
	if err != nil {
		return nil, errors.Join(err, p.mr.Close())
	}
	for i := range p.recvs {
		p.recvs[i] = verbs.RecvWR{ID: uint64(p.number), Local: verbs.SGE{
			Addr: p.mr.Addr() + uint64(p.area), Length: uint32(p.area), LKey: p.mr.LKey(),
		}}
	}
	return p, nil
}

// connect compares both ends before any traffic.
func (p *pair) connect(pd verbs.PD, peer introduction) (err error) {
	p.peer = peer
	if err := verbs.Check(p.qp.Local(), peer.Endpoint); err != nil {
		return err
	}
	if p.qp.Type() == verbs.UD {
		if p.ah, err = pd.CreateAH(peer.Endpoint); err != nil {
			return err
		}
	}
	return p.qp.Connect(peer.Endpoint)
}

func (p *pair) close() error { return verbs.Close(p.qp, p.ah, p.mr) }

var sendOps = map[Op]verbs.SendOp{Write: verbs.OpWrite, Read: verbs.OpRead, Send: verbs.OpSend}

// prepare fills the post list for messages of one size.
func (p *pair) prepare(op Op, bytes int) {
	wr := verbs.SendWR{
		Op: sendOps[op],
		Local: verbs.SGE{
			Addr: p.mr.Addr() + uint64(p.area-bytes), Length: uint32(bytes),
			LKey: p.mr.LKey(),
		},
		Remote: p.peer.Region.Addr + uint64(2*p.area-bytes), RKey: p.peer.Region.RKey,
		QPN: p.peer.Endpoint.QPN, QKey: p.peer.Endpoint.QKey,
	}
	if p.ah != nil {
		wr.AH = p.ah.Handle()
	}
	if op != Read && bytes <= p.inline {
		wr.Flags = verbs.Inline
	}
	for i := range p.list {
		p.list[i] = wr
	}
}

// post posts n messages. One in every requests a completion, and so does the last of all. The
// completion's ID contains the pair and the number of messages it stands for.
func (p *pair) post(n, every int, last bool) (took int, err error) {
	for i := range p.list[:n] {
		wr := &p.list[i]
		p.unsignaled++
		wr.Flags &^= verbs.Signaled
		if p.unsignaled == every || last && i == n-1 {
			wr.Flags |= verbs.Signaled
			wr.ID = uint64(p.number)<<32 | uint64(p.unsignaled)
			p.unsignaled = 0
		}
	}
	p.outstanding += n
	if took, err = p.qp.PostSend(p.list[:n]); err != nil {
		err = fmt.Errorf("post %d of %d: %w", took+1, n, err)
	}
	return took, err
}

// repost posts n receives.
func (p *pair) repost(n int) error {
	took, err := p.qp.PostRecv(p.recvs[:n])
	p.stocked += took
	return err
}

// mark sets the last byte of the next message to write.
func (p *pair) mark(b byte) { p.mr.Bytes()[p.area-1] = b }

// marked returns the last byte of the message that the peer wrote here. A device publishes its word
// last.
func (p *pair) marked() byte {
	word := (*[8]byte)(p.mr.Bytes()[2*p.area-8:])
	v := atomic.LoadUint64((*uint64)(unsafe.Pointer(word)))
	return (*[8]byte)(unsafe.Pointer(&v))[7]
}
