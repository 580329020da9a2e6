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
	const batch = 64
	opts := kvs.SessionOptions{Batch: batch, Window: 1, Connections: 1}
	link := &instantLink{answer: hits(batch)}
	facts := kvs.Facts{Workers: 1, Partitions: 1, MaxBatch: MaxBatch, MaxFrameBytes: MaxFrameBytes}
	s, err := openSession(&facts, opts, func(int, kvs.SessionOptions) (*conn, error) {
		c := &conn{maxFrame: MaxFrameBytes}
		c.Attach(link, "a link", opts)
		return c, nil
	})
	must.Do(b, err)
	defer s.Close()
	b.Run("session", func(b *testing.B) { benchSession(b, s) })
	b.Run("copy", func(b *testing.B) {
		request, in := make([]byte, len(link.request)), make([]byte, len(link.answer))
		for range b.N / batch {
			link.Send(request)
			copy(in, link.answer)
		}
	})
}

func benchSession(b *testing.B, s kvs.Session) {
	var answers []kvs.Answer
	var err error
	b.ReportAllocs()
	key := make([]byte, 8)
	req := kvs.Request{Op: kvs.Get, Key: key}
	for got := 0; got < b.N; got += len(answers) {
		for taken := true; taken; {
			binary.LittleEndian.PutUint64(key, req.Cookie)
			if taken, err = s.Submit(&req); err != nil {
				b.Fatal(err)
			}
			req.Cookie++
			req.Hash += 1 << 40
		}
		if answers, err = s.Poll(answers[:0], 0); err != nil {
			b.Fatal(err)
		}
	}
}
