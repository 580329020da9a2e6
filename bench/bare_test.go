package bench

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/rawsocket"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"

	"golang.org/x/sys/unix"
)

// bare is the floor of a load client: it sends one ready-made frame of Gets again and again, and
// counts the bytes that come back. Per batch it makes one write and one read, and per wait one
// epoll_wait. It neither chooses, hashes, builds, parses, checks nor records.
type bare struct {
	poller   *rawsocket.Poller
	fds      []int
	frames   []byte // as many requests as the window has
	request  int    // bytes of one
	answer   int
	received []int // by connection, of an incomplete answer
	sequence []uint64
	in       []byte
	batches  int
}

// benchBare measures the bare client for a second, after a fifth of one.
func benchBare(b *testing.B, window int) {
	s := startMica(b, partition.Cache, study)
	c := &bare{in: make([]byte, 64<<10)}
	defer c.close()
	must.Do(b, c.open(s.Addr(), window))
	var first, last kvs.WorkerStats
	var clientNs float64
	onClientCPU(b, func() (err error) {
		clientNs, err = c.measure(s, window, &first, &last)
		return err
	})
	reportCosts(b, clientNs, &first, &last)
}

// measure returns the client's CPU time of an operation, and the server's counters before and after.
func (c *bare) measure(
	s *mica.Server, window int, first, last *kvs.WorkerStats,
) (nsPerOp float64, err error) {
	if err := c.run(window, 200*time.Millisecond); err != nil {
		return 0, err
	}
	before, err := s.Stats()
	if err != nil {
		return 0, err
	}
	begun := cpu.ThreadNs()
	c.batches = 0
	if err := c.run(0, time.Second); err != nil {
		return 0, err
	}
	nsPerOp = float64(cpu.ThreadNs()-begun) / float64(c.batches*study.batch)
	after, err := s.Stats()
	if err != nil {
		return 0, err
	}
	*first, *last = before.Workers[0], after.Workers[0]
	return nsPerOp, nil
}

// open connects, and stores the keys that the frames ask for.
func (c *bare) open(addr string, window int) (err error) {
	if c.poller, err = rawsocket.NewPoller(); err != nil {
		return err
	}
	get, set := requestFrame(kvs.Get, 0), requestFrame(kvs.Set, study.valueBytes)
	for range window {
		c.frames = append(c.frames, get...)
	}
	c.request = len(get)
	c.answer = len(answerFrame(study.batch, study.valueBytes))
	for i := range study.connections {
		fd, err := dialBare(addr, set)
		if err != nil {
			return err
		}
		c.fds, c.received = append(c.fds, fd), append(c.received, 0)
		c.sequence = append(c.sequence, 1)
		if err := c.poller.Watch(unix.EPOLL_CTL_ADD, fd, i, unix.EPOLLIN); err != nil {
			return err
		}
	}
	return nil
}

// dialBare greets, and exchanges one frame.
func dialBare(addr string, set []byte) (fd int, err error) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return -1, err
	}
	defer nc.Close()
	hello := append(make([]byte, frameHeader), helloMagic...)
	putFrameHeader(hello, kindHello, 0)
	for _, frame := range [][]byte{hello, set} {
		if _, err := nc.Write(frame); err != nil {
			return -1, err
		}
		var head [frameHeader]byte
		if _, err := io.ReadFull(nc, head[:]); err != nil {
			return -1, err
		}
		rest := int64(binary.LittleEndian.Uint32(head[:])) - frameHeader
		if _, err := io.CopyN(io.Discard, nc, rest); err != nil {
			return -1, err
		}
	}
	return rawsocket.TakeOver(nc)
}

// requestFrame makes a batch of requests.
func requestFrame(op kvs.Op, valueBytes int) []byte {
	frame := make([]byte, frameHeader)
	for key := range uint64(study.batch) {
		head := uint64(op) | 8<<8 | uint64(valueBytes)<<16
		for _, word := range []uint64{head, hashOf(key), key} {
			frame = binary.LittleEndian.AppendUint64(frame, word)
		}
		frame = append(frame, make([]byte, valueBytes)...)
	}
	putFrameHeader(frame, kindRequest, study.batch)
	binary.LittleEndian.PutUint64(frame[8:], 1)
	return frame
}

// run first sends a number of batches on each connection. Then it replaces answered ones.
func (c *bare) run(batches int, period time.Duration) error {
	for i := range c.fds {
		if err := c.send(i, batches); err != nil {
			return err
		}
	}
	for end := cpu.NowNs() + int64(period); cpu.NowNs() < end; {
		events, err := c.poller.Wait(20 * time.Millisecond)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := c.turn(int(e.Fd)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *bare) turn(i int) error {
	n, errno := rawsocket.Receive(c.fds[i], c.in, 0)
	if errno != 0 || n == 0 {
		return fmt.Errorf("receive: %d bytes, %w", n, errno)
	}
	c.received[i] += n
	whole := c.received[i] / c.answer
	c.received[i] %= c.answer
	c.batches += whole
	return c.send(i, whole)
}

func (c *bare) send(i, batches int) error {
	frames := c.frames[:batches*c.request]
	for at := 0; at < len(frames); at += c.request {
		c.sequence[i]++
		binary.LittleEndian.PutUint64(frames[at+8:], c.sequence[i])
	}
	if len(frames) == 0 {
		return nil
	}
	n, errno := rawsocket.Send(c.fds[i], frames, 0)
	if errno != 0 || n < len(frames) {
		return fmt.Errorf("send: %d bytes of %d, %w", n, len(frames), errno)
	}
	return nil
}

func (c *bare) close() {
	for _, fd := range c.fds {
		unix.Close(fd)
	}
	if c.poller != nil {
		c.poller.Close()
	}
}
