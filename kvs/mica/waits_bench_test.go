package mica

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-faster/city"
	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/internal/rawsocket"
	"dpukv/internal/sample"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// waitsProcess makes a process of these tests serve [BenchmarkWaits]. It has what to serve, how to
// wait, the CPU, and of a ping-pong the bytes of a request and of an answer.
const waitsProcess = "DPUKV_TEST_WAITS"

const (
	waitsKeys  = 1 << 16
	waitsSlice = 500 // trips between two changes of subject
	waitsWarm  = 20  // trips after a change that do not count
)

// BenchmarkWaits is the time of a round trip on one connection with one batch in flight, where
// server and client sleep or poll, on a CPU each. Beside it, a bare ping-pong of the same bytes waits
// in the same two ways. The subjects take turns, and the server of the other one is stopped. x-ping
// is the ratio of the medians.
//
//	go test ./kvs/mica -run - -bench Waits -benchtime 20000x
func BenchmarkWaits(b *testing.B) {
	cpus := must.Get(cpu.Allowed())(b)
	if len(cpus) < 2 {
		b.Skip("it needs two CPUs")
	}
	for _, batch := range []int{64, 1} {
		for _, server := range []string{kvs.WaitSleep, kvs.WaitPoll} {
			for _, client := range []string{kvs.WaitSleep, kvs.WaitPoll} {
				b.Run(fmt.Sprintf("batch=%d/server=%s/client=%s", batch, server, client), func(b *testing.B) {
					benchmarkWaits(b, batch, server, client, cpus)
				})
			}
		}
	}
}

// timed is one of the two whose trips are timed.
type timed struct {
	process *exec.Cmd
	trip    func() (ns int64, err error)
	tripsNs []int64
	cpuNs   int64 // of the server
}

func benchmarkWaits(b *testing.B, batch int, server, client string, cpus []int) {
	store, addr := waitsServer(b, fmt.Sprintf("mica %s %d", server, cpus[0]))
	s := newWaitsSession(b, addr, batch, client)
	before := s.Traffic()
	must.Get(s.trip())(b)
	moved := s.Traffic().Since(&before)
	must.Do(b, store.Process.Signal(unix.SIGSTOP))
	echo, addr := waitsServer(b, fmt.Sprintf("ping %s %d %d %d", server, cpus[0], moved.SentBytes,
		moved.ReceivedBytes))
	p := must.Get(newPinger(addr, client, int(moved.SentBytes), int(moved.ReceivedBytes)))(b)
	defer p.close()
	must.Do(b, echo.Process.Signal(unix.SIGSTOP))
	mica, ping := &timed{process: store, trip: s.trip}, &timed{process: echo, trip: p.trip}
	b.ResetTimer()
	done := make(chan error)
	go func() { done <- takeTurns(b.N, cpus[1], mica, ping) }()
	must.Do(b, <-done)
	b.ReportMetric(0, "ns/op") // of both subjects and the changes between them
	ofMica, ofPing := float64(sample.Median(mica.tripsNs)), float64(sample.Median(ping.tripsNs))
	b.ReportMetric(ofMica/1e3, "p50-µs")
	b.ReportMetric(ofPing/1e3, "ping-p50-µs")
	b.ReportMetric(ofMica/ofPing, "x-ping")
	b.ReportMetric(mica.serverCPU(), "server-cpu-µs/trip")
	b.ReportMetric(ping.serverCPU(), "ping-server-cpu-µs/trip")
}

// takeTurns makes n trips of each subject on a thread of its own, which ends with the goroutine.
func takeTurns(n, pin int, subjects ...*timed) error {
	runtime.LockOSThread()
	if err := cpu.PinThread(pin); err != nil {
		return err
	}
	for made := 0; made < n; made += waitsSlice {
		for _, s := range subjects {
			if err := s.slice(min(waitsSlice, n-made)); err != nil {
				return err
			}
		}
	}
	return nil
}

// slice times some trips while the server runs.
func (s *timed) slice(trips int) error {
	pid := s.process.Process.Pid
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		return err
	}
	for range waitsWarm {
		if _, err := s.trip(); err != nil {
			return err
		}
	}
	begun, err := cpu.NsOf(pid)
	for range trips {
		if err != nil {
			return err
		}
		var ns int64
		ns, err = s.trip()
		s.tripsNs = append(s.tripsNs, ns)
	}
	if err != nil {
		return err
	}
	ended, err := cpu.NsOf(pid)
	if err != nil {
		return err
	}
	s.cpuNs += ended - begun
	return unix.Kill(pid, unix.SIGSTOP)
}

// serverCPU is the server's CPU time of a trip, in µs.
func (s *timed) serverCPU() float64 { return float64(s.cpuNs) / 1e3 / float64(len(s.tripsNs)) }

// waitsServer starts a process that serves, and returns its address.
func waitsServer(b *testing.B, what string) (cmd *exec.Cmd, addr string) {
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), waitsProcess+"="+what)
	stdin := must.Get(cmd.StdinPipe())(b)
	stdout := must.Get(cmd.StdoutPipe())(b)
	must.Do(b, cmd.Start())
	b.Cleanup(func() {
		stdin.Close()
		_ = cmd.Process.Kill() // it may be stopped
		_ = cmd.Wait()
	})
	line := must.Get(bufio.NewReader(stdout).ReadString('\n'))(b)
	return cmd, strings.TrimSpace(line)
}

// serveWaits is the process. It ends with the benchmark.
func serveWaits(what string) error {
	var subject, wait string
	var pin, request, answer int
	_, _ = fmt.Sscan(what, &subject, &wait, &pin, &request, &answer)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if subject == "ping" {
		return servePings(wait, pin, request, answer)
	}
	cfg := testConfig()
	cfg.Workers, cfg.Items, cfg.Poll, cfg.CPUs = 1, waitsKeys, wait == kvs.WaitPoll, []int{pin}
	s, err := Start(cfg)
	if err != nil {
		return err
	}
	fmt.Println(s.Addr())
	return s.Wait()
}

// waitsSession asks for a batch of keys that are there.
type waitsSession struct {
	kvs.Session
	batch   int
	next    int
	answers []kvs.Answer
}

func newWaitsSession(b *testing.B, addr string, batch int, wait string) *waitsSession {
	r := must.Keep(Dial(b.Context(), addr))(b)
	fill := kvstest.Open(b, r, kvs.SessionOptions{Batch: 64, Window: 1, Connections: 1})
	for from := 0; from < waitsKeys; from += 1 << 10 {
		var sets []kvs.Request
		for n := from; n < from+1<<10; n++ {
			sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(n), Value: key(n)})
		}
		do(b, fill, sets)
	}
	s := kvstest.Open(b, r, kvs.SessionOptions{
		Batch: batch, Window: 1, Connections: 1, KeyBytes: 8, MaxValueBytes: 8, Wait: wait,
	})
	return &waitsSession{Session: s, batch: batch}
}

// trip is the time from the send of a batch to its answers, as points have it.
func (s *waitsSession) trip() (ns int64, err error) {
	for range s.batch {
		s.next = (s.next + 40_503) % waitsKeys
		r := kvs.Request{Op: kvs.Get, Key: key(s.next)}
		r.Hash = city.Hash64(r.Key)
		if taken, err := s.Submit(&r); err != nil || !taken {
			return 0, fmt.Errorf("a request was not taken: %w", err)
		}
	}
	if err := s.Flush(); err != nil {
		return 0, err
	}
	for s.answers = s.answers[:0]; len(s.answers) < s.batch; {
		if s.answers, err = s.Poll(s.answers, 20*time.Millisecond); err != nil {
			return 0, err
		}
	}
	if a := &s.answers[0]; a.Status == kvs.OK {
		return a.ReceivedNs - a.SentNs, nil
	}
	return 0, fmt.Errorf("a key that was stored has status %v", s.answers[0].Status)
}

// pinger is an end of a ping-pong with bare system calls.
type pinger struct {
	fd      int
	poller  *rawsocket.Poller // nil: it polls
	out, in []byte
}

func newPinger(addr, wait string, request, answer int) (*pinger, error) {
	c, err := net.DialTimeout("tcp", addr, handshakeTimeout)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return pingerOn(c, wait, request, answer)
}

// pingerOn is an end that sends so many bytes, and receives so many.
func pingerOn(c net.Conn, wait string, out, in int) (*pinger, error) {
	fd, err := rawsocket.TakeOver(c)
	if err != nil {
		return nil, err
	}
	p := &pinger{fd: fd, out: make([]byte, out), in: make([]byte, in)}
	if wait == kvs.WaitPoll {
		return p, nil
	}
	if p.poller, err = rawsocket.NewPoller(); err != nil {
		return nil, err
	}
	return p, p.poller.Watch(unix.EPOLL_CTL_ADD, fd, 0, unix.EPOLLIN)
}

func (p *pinger) close() {
	_ = unix.Close(p.fd)
	if p.poller != nil {
		_ = p.poller.Close()
	}
}

func (p *pinger) trip() (ns int64, err error) {
	begun := cpu.NowNs()
	if err := p.send(); err != nil {
		return 0, err
	}
	err = p.receive()
	return cpu.NowNs() - begun, err
}

func (p *pinger) send() error {
	if n, errno := rawsocket.Send(p.fd, p.out, 0); errno != 0 || n < len(p.out) {
		return fmt.Errorf("sent %d of %d bytes: %w", n, len(p.out), errno)
	}
	return nil
}

func (p *pinger) receive() error {
	for got := 0; got < len(p.in); {
		if p.poller != nil {
			if _, err := p.poller.Wait(20 * time.Millisecond); err != nil {
				return err
			}
		}
		n, errno := rawsocket.Receive(p.fd, p.in[got:], 0)
		switch {
		case errno == unix.EAGAIN:
		case errno != 0:
			return errno
		case n == 0:
			return io.EOF
		}
		got += n
	}
	return nil
}

// servePings answers one client.
func servePings(wait string, pin, request, answer int) error {
	runtime.LockOSThread()
	if err := cpu.PinThread(pin); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	c, err := l.Accept()
	if err != nil {
		return err
	}
	p, err := pingerOn(c, wait, answer, request)
	for err == nil {
		if err = p.receive(); err == nil {
			err = p.send()
		}
	}
	return err
}
