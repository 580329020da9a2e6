package mica

import (
	"encoding/binary"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// instantLink answers each batch of Gets at once with the same answer.
type instantLink struct {
	request []byte // a copy
	answer  []byte
	there   int // answers
}

func (l *instantLink) Send(batch []byte) (bool, error) {
	l.request = append(l.request[:0], batch...)
	copy(l.answer[8:headerBytes], batch[8:headerBytes]) // the sequence
	l.there++
	return true, nil
}

func (l *instantLink) Next() (message []byte, ok bool, err error) {
	if l.there == 0 {
		return nil, false, nil
	}
	l.there--
	return l.answer, true, nil
}

func (l *instantLink) Poll() error              { return nil }
func (l *instantLink) Wait(time.Duration) error { return nil }
func (l *instantLink) Close() error             { return nil }

// hits makes an answer with values of 8 bytes.
func hits(count int) []byte {
	frame := make([]byte, answerHead(count)+8*count)
	for i := range count {
		binary.LittleEndian.PutUint32(frame[headerBytes+outcomeBytes*i:], 8<<16)
	}
	putHeader(frame, header{bytes: len(frame), kind: kindAnswer, count: count})
	return frame
}

// BenchmarkSession is the building of requests and the parsing of answers, without a server. The
// floor copies the same bytes.
func BenchmarkSession(b *testing.B) {
	d := newInstant(b)
	b.Run("session", func(b *testing.B) {
		b.ReportAllocs()
		must.Do(b, d.run(b.N))
	})
	b.Run("copy", func(b *testing.B) {
		request, in := make([]byte, len(d.link.request)), make([]byte, len(d.link.answer))
		for range b.N / instantBatch {
			d.link.Send(request)
			copy(in, d.link.answer)
		}
	})
}

const instantBatch = 64

// instant sends Gets of different keys over an instant link.
type instant struct {
	session kvs.Session
	link    *instantLink
	key     []byte
	request kvs.Request
	answers []kvs.Answer
}

func newInstant(tb testing.TB) *instant {
	opts := kvs.SessionOptions{Batch: instantBatch, Window: 1, Connections: 1}
	d := &instant{link: &instantLink{answer: hits(instantBatch)}, key: make([]byte, 8)}
	d.request = kvs.Request{Op: kvs.Get, Key: d.key}
	facts := kvs.Facts{Workers: 1, Partitions: 1, MaxBatch: MaxBatch, MaxFrameBytes: MaxFrameBytes}
	var err error
	d.session, err = openSession(&facts, opts, func(int, kvs.SessionOptions) (*conn, error) {
		c := &conn{maxFrame: MaxFrameBytes}
		c.Attach(d.link, "a link", opts)
		return c, nil
	})
	must.Do(tb, err)
	tb.Cleanup(func() { _ = d.session.Close() })
	return d
}

// run goes on until n answers have come.
func (d *instant) run(n int) (err error) {
	for got := 0; got < n; got += len(d.answers) {
		for taken := true; taken; {
			binary.LittleEndian.PutUint64(d.key, d.request.Cookie)
			if taken, err = d.session.Submit(&d.request); err != nil {
				return err
			}
			d.request.Cookie++
			d.request.Hash += 1 << 40
		}
		if d.answers, err = d.session.Poll(d.answers[:0], 0); err != nil {
			return err
		}
	}
	return nil
}
