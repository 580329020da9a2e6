package herd

import (
	"fmt"
	"unsafe"

	"dpukv/kvs"
	"dpukv/verbs"
)

// receives are a link's receive buffers for answers, used in turn: the device fills them in the
// order in which they are posted. Those from reposted to received hold answers that the caller may
// still be reading.
type receives struct {
	buffers            verbs.MR
	memory             []byte
	stride             int
	recvs              []verbs.RecvWR // a power of two of them
	received, reposted uint32
}

// answerBuffers is the number of buffers for a window: twice the number of answers in flight,
// because the buffers that the caller is reading are posted again only later. If these do not
// suffice, requests wait: see open.
func answerBuffers(window int) int { return 2 * powerOfTwo(window) }

// A buffer's datagram starts here, so that its payload, behind the room for a GRH, starts a cache
// line.
const datagramAt = lineBytes - verbs.GRHBytes

// makeReceives makes the queue pair for answers and posts all buffers.
func (l *link) makeReceives(number uint32) (err error) {
	r := l.session.remote
	count := answerBuffers(int(l.limit))
	l.stride = lineBytes + (l.maxValue+lineBytes-1)&^(lineBytes-1)
	if l.buffers, err = r.pd.AllocMR(count*l.stride, verbs.LocalWrite); err != nil {
		return err
	}
	l.memory = l.buffers.Bytes()
	l.ud, err = r.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UD, SendCQ: l.session.cq, RecvCQ: l.session.cq, MaxSend: 1, MaxRecv: count,
		QKey: randomKey(),
	})
	if err != nil {
		return err
	}
	l.recvs = make([]verbs.RecvWR, count)
	for i := range l.recvs {
		l.recvs[i] = verbs.RecvWR{
			ID: uint64(number)<<32 | uint64(i),
			Local: verbs.SGE{
				Addr:   l.buffers.Addr() + uint64(i*l.stride+datagramAt),
				Length: uint32(l.stride - datagramAt), LKey: l.buffers.LKey(),
			},
		}
	}
	if _, err := l.ud.PostRecv(l.recvs); err != nil {
		return err
	}
	return l.ud.Connect(verbs.Endpoint{})
}

// repost posts the free buffers again.
func (l *link) repost() error {
	size := uint32(len(l.recvs))
	from, to := l.reposted&(size-1), l.received&(size-1)
	l.reposted = l.received
	if from < to {
		_, err := l.ud.PostRecv(l.recvs[from:to])
		return err
	}
	if _, err := l.ud.PostRecv(l.recvs[from:]); err != nil || to == 0 {
		return err
	}
	_, err := l.ud.PostRecv(l.recvs[:to])
	return err
}

// accept matches an answer with its request. It drops a late or repeated answer.
func (l *link) accept(wc *verbs.WC, now int64, answers []kvs.Answer) ([]kvs.Answer, error) {
	l.received++
	if wc.Status != verbs.StatusSuccess {
		return answers, fmt.Errorf("the receive of an answer ended with: %s", wc.Status)
	}
	traffic := &l.session.traffic
	a := answer(wc.Imm)
	ahead := (a.sequence() - l.oldest) & sequenceMask
	note := &l.pending[(l.oldest+ahead)&uint32(len(l.pending)-1)]
	if ahead >= l.posted-l.oldest || note.answered || wc.SrcQPN != l.answerer || !wc.HasImm {
		traffic.Strays++
		return answers, nil
	}
	n := int(wc.Bytes) - verbs.GRHBytes
	traffic.ReceivedBytes += uint64(n)
	at := int(uint32(wc.ID))*l.stride + lineBytes
	// Field by field, in place: if the struct were built elsewhere and copied in larger pieces,
	// each piece would wait until its fields have left the store buffer.
	answers = extend(answers)
	got := &answers[len(answers)-1]
	got.Op, got.Status, got.Cookie = note.op, a.status(), note.cookie
	got.Value = l.memory[at : at+n : at+n]
	got.IntendedNs, got.SentNs, got.ReceivedNs = note.intendedNs, note.sentNs, now
	l.session.pending--
	note.answered = true
	if ahead == 0 {
		l.oldest++
		for l.oldest != l.posted && l.pending[l.oldest&uint32(len(l.pending)-1)].answered {
			l.oldest++
		}
	}
	return answers, nil
}

// extend makes a slice one element longer, without clearing it.
func extend(answers []kvs.Answer) []kvs.Answer {
	if n := len(answers); n < cap(answers) {
		return answers[:n+1]
	}
	return append(answers, kvs.Answer{})
}

// control returns the control word of a staged request.
func (l *link) control(entry uint32) *control {
	end := (int(entry) + 1) * l.slotBytes
	return (*control)(unsafe.Pointer(&l.bytes[end-wordBytes]))
}
