package main

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"time"
)

// The kinds of frames that these clients send: see dpukv/kvs/mica.
const (
	micaHello   = 1
	micaRequest = 3
	micaAsk     = 5
)

var micaAttacks = []attack{
	{"connect and say nothing", func(c net.Conn, s *attackRun) error { return s.hold(c) }},
	{"8 MiB begun before the hello", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(micaHeader(8<<20, micaHello, 0))
		return trickle(c, s, err)
	}},
	{"8 MiB begun after the hello", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(append(micaGreeting(), micaHeader(8<<20, micaRequest, 1)...))
		return trickle(c, s, err)
	}},
	{"asks, answers not read", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(micaGreeting())
		for err == nil && s.rest(time.Millisecond) {
			_, err = c.Write(bytes.Repeat(micaHeader(16, micaAsk, 0), 100))
		}
		return err
	}},
	{"GETs of 64-KB values, answers not read", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(append(micaGreeting(), micaOps(2, 1, make([]byte, 60000))...))
		gets := bytes.Repeat(micaOps(1, 100, nil), 100)
		for err == nil && s.rest(time.Millisecond) {
			_, err = c.Write(gets)
		}
		return err
	}},
	{"random bytes", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(append(micaGreeting(), randomBytes(4096)...))
		if err != nil {
			return err
		}
		return s.hold(c)
	}},
}

func micaHeader(bytes int, kind byte, count int) []byte {
	h := make([]byte, 16)
	binary.LittleEndian.PutUint32(h, uint32(bytes))
	h[4], h[5] = 1, kind
	binary.LittleEndian.PutUint16(h[6:], uint16(count))
	return h
}

func micaGreeting() []byte { return append(micaHeader(24, micaHello, 0), "dpukv\x00M1"...) }

// micaOps is a request of so many operations on one key.
func micaOps(op uint64, count int, value []byte) []byte {
	body := make([]byte, 0, 1<<16)
	for range count {
		body = binary.LittleEndian.AppendUint64(body, op|8<<8|uint64(len(value))<<16)
		body = binary.LittleEndian.AppendUint64(body, 0x1234567890abcdef)
		body = append(append(body, "hostile!"...), value...)
	}
	return append(micaHeader(16+len(body), micaRequest, count), body...)
}

// trickle sends 64 KB of a frame ten times a second.
func trickle(c net.Conn, s *attackRun, err error) error {
	for err == nil && s.rest(100*time.Millisecond) {
		_, err = c.Write(make([]byte, 64<<10))
	}
	return err
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}
