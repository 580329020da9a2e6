package softroce

import "dpukv/verbs/softroce/wire"

import (
	"fmt"

	"dpukv/verbs"
)

func (q *qp) PostSend(wrs []verbs.SendWR) (int, error) {
	d := q.device
	d.objects.RLock()
	defer d.objects.RUnlock()
	if err := q.usable(true); err != nil {
		return 0, err
	}
	if q.config.Type == verbs.RC {
		return q.request.post(wrs)
	}
	b := d.batch()
	defer d.giveBack(b)
	n, err := q.emitAll(b, wrs)
	// The kernel sends the packets later, and the device has no further influence on them: the
	// requests are complete.
	if sendErr := b.flush(); err == nil {
		err = sendErr
	}
	for i := range wrs[:n] {
		if wrs[i].Flags&verbs.Signaled != 0 {
			q.sendCQ.push(verbs.WC{ID: wrs[i].ID, QPN: q.num, Op: wrs[i].Op.Completion()})
		}
	}
	return n, err
}

// emitAll builds the packets of unreliable requests, and returns the number of requests.
func (q *qp) emitAll(b *batch, wrs []verbs.SendWR) (int, error) {
	for i := range wrs {
		data, err := q.check(&wrs[i])
		if err == nil && q.config.Type == verbs.UD {
			err = q.emitDatagram(b, &wrs[i], data)
		} else if err == nil {
			err = q.emitMessage(b, &wrs[i], data)
		}
		if err != nil {
			return i, fmt.Errorf("send %d of the list: %w", i, err)
		}
	}
	return len(wrs), nil
}

func (q *qp) emitMessage(b *batch, wr *verbs.SendWR, data []byte) error {
	n := packetsOf(len(data), q.mtu)
	for i := range n {
		p := &b.packet
		q.segment(p, wr, data, i, n)
		p.PSN = q.nextPSN
		q.nextPSN = (q.nextPSN + 1) & wire.PSNMask
		if err := b.add(&q.path, p); err != nil {
			return err
		}
	}
	return nil
}

func (q *qp) emitDatagram(b *batch, wr *verbs.SendWR, data []byte) error {
	h, err := q.device.handle(wr.AH)
	if err != nil {
		return err
	}
	p := &b.packet
	q.segment(p, wr, data, 0, 1)
	p.DstQPN, p.SrcQPN, p.QKey = wr.QPN&wire.QPNMask, q.num, wr.QKey
	if wr.QKey&(1<<31) != 0 { // a privileged Q_Key: the QP's own goes out
		p.QKey = q.config.QKey
	}
	p.PSN = q.nextPSN
	q.nextPSN = (q.nextPSN + 1) & wire.PSNMask
	return b.add(&h.path, p)
}

// packetsOf returns the number of packets for n bytes: one for none.
func packetsOf(n, mtu int) int { return max(1, (n+mtu-1)/mtu) }

// segment builds the i-th of n packets of a request, without its PSN.
func (q *qp) segment(p *wire.Packet, wr *verbs.SendWR, data []byte, i, n int) {
	p.Op = wire.TransportOf(q.config.Type) | wire.SendOpcode(wr.Op, i, n)
	p.Solicited = wr.Flags&verbs.Solicited != 0 && i == n-1
	p.AckReq = false
	p.DstQPN = q.peer.QPN & wire.QPNMask
	p.VA, p.RKey, p.DMALen = wr.Remote, wr.RKey, uint32(len(data))
	p.Imm = wr.Imm
	p.Payload = data[i*q.mtu : min((i+1)*q.mtu, len(data))]
}

// check returns the memory of a request, or its error.
func (q *qp) check(wr *verbs.SendWR) ([]byte, error) {
	if err := q.checkOp(wr); err != nil {
		return nil, err
	}
	if wr.Local.Length == 0 {
		return nil, nil
	}
	access := verbs.Access(0)
	if wr.Op == verbs.OpRead {
		access = verbs.LocalWrite
	}
	m, at, why := q.device.regions.reach(q.pd, wr.Local.LKey, wr.Local.Addr, int(wr.Local.Length),
		access)
	if why != noDrop {
		return nil, memoryError(&wr.Local, why)
	}
	return m.whole[at : at+int(wr.Local.Length)], nil
}

const maxMessageBytes = 1 << 31

func (q *qp) checkOp(wr *verbs.SendWR) error {
	n := int(wr.Local.Length)
	switch {
	case wr.Op < verbs.OpWrite || wr.Op > verbs.OpRead:
		return fmt.Errorf("operation %d: %w", wr.Op, verbs.ErrNotSupported)
	case wr.Op == verbs.OpRead && q.config.Type != verbs.RC:
		return fmt.Errorf("READ on %s: %w; allowed: RC", q.config.Type, verbs.ErrNotSupported)
	case q.config.Type == verbs.UD && wr.Op != verbs.OpSend && wr.Op != verbs.OpSendImm:
		return fmt.Errorf("WRITE on UD: %w; allowed: sends", verbs.ErrNotSupported)
	case q.config.Type == verbs.UD && n > q.mtu:
		return fmt.Errorf("UD message: found %d bytes, allowed: at most the path MTU, %d", n, q.mtu)
	case n > maxMessageBytes:
		return fmt.Errorf("message: found %d bytes, allowed: at most %d", n, maxMessageBytes)
	case wr.Flags&verbs.Inline != 0 && (n > q.config.MaxInline || wr.Op == verbs.OpRead):
		return fmt.Errorf("inline: found %d bytes, allowed: at most the QP's MaxInline, %d, and "+
			"no READ", n,
			q.config.MaxInline)
	}
	return nil
}
