package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"dpukv/internal/offheap"
	"dpukv/internal/rawsocket"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/verbs/mqueue"

	"golang.org/x/sys/unix"
)

// testFrames are frames of a length and a payload. A connection begins with "hi" both ways.
var testFrames = Frames{
	HeadBytes: 4,
	Length: func(head []byte) (int, error) {
		n := int(binary.LittleEndian.Uint32(head))
		if n < 4 || n > 1<<20 {
			return 0, fmt.Errorf("frame: found %d bytes, allowed: 4 to 1 MiB", n)
		}
		return n, nil
	},
	Greet: func(c net.Conn) error {
		if _, err := c.Write([]byte("hi")); err != nil {
			return err
		}
		var answer [2]byte
		if _, err := io.ReadFull(c, answer[:]); err != nil {
			return err
		}
		if string(answer[:]) != "hi" {
			return errors.New("the server does not greet")
		}
		return nil
	},
}

func frame(payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(4+len(payload))), payload...)
}

// listen hands each connection that has greeted to serve, and returns the port.
func listen(t *testing.T, serve func(net.Conn)) int {
	t.Helper()
	return portOf(kvstest.Listen(t, func(c net.Conn) {
		if _, err := io.ReadFull(c, make([]byte, 2)); err != nil {
			return
		}
		if _, err := c.Write([]byte("hi")); err == nil {
			serve(c)
		}
	}))
}

func portOf(addr string) int { return int(netip.MustParseAddrPort(addr).Port()) }

func echo(c net.Conn) { _, _ = io.Copy(c, c) }

// proxied is a proxy whose lanes are memory of this process.
type proxied struct {
	*Server
	client *Client
	lanes  chan *memoryEnd // of the applications
}

func start(t *testing.T, cfg Config) *proxied {
	t.Helper()
	p := &proxied{lanes: make(chan *memoryEnd, 1)}
	cfg.Frames, cfg.Listen, cfg.Host = testFrames, "127.0.0.1:0", "127.0.0.1"
	cfg.Threads = max(cfg.Threads, 1)
	if cfg.accept == nil {
		cfg.accept = func(v *visit) (lane, error) {
			application, proxy := newMemory(8, v.hello.SlotBytes)
			p.lanes <- application
			return proxy, nil
		}
	}
	p.Server = must.Keep(Start(cfg))(t)
	p.client = newClient(p.Addr())
	return p
}

func (p *proxied) join(t *testing.T, port, slotBytes int) *Link {
	t.Helper()
	conn, _, _, err := p.client.greet(t.Context(), hello{Port: port, SlotBytes: slotBytes})
	must.Do(t, err)
	l := &Link{lane: <-p.lanes, conn: conn, client: p.client}
	p.client.joined(l)
	t.Cleanup(func() { l.Close() })
	return l
}

// answer waits for the next answer.
func answer(t *testing.T, l *Link) ([]byte, error) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		must.Do(t, l.Poll())
		if m, ok, err := l.Next(); ok || err != nil {
			return m, err
		}
		time.Sleep(50 * time.Microsecond)
	}
	t.Fatal("no answer came within 20 s")
	return nil, nil
}

func send(t *testing.T, l *Link, payload string) {
	t.Helper()
	if taken, err := l.Send(frame([]byte(payload))); err != nil || !taken {
		t.Fatalf("send: %v, %v", taken, err)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// TestFrames moves frames of many sizes through several pairs on two threads, with full windows.
func TestFrames(t *testing.T) {
	const slotBytes = 50_000
	p := start(t, Config{Threads: 2})
	port := listen(t, echo)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	links := []*Link{p.join(t, port, slotBytes), p.join(t, port, slotBytes), p.join(t, port, slotBytes)}
	sent := make([][][]byte, len(links))
	for range 600 {
		i := random.IntN(len(links))
		payload := make([]byte, random.IntN(1<<random.IntN(16)))
		if len(payload) > slotBytes-4 {
			payload = payload[:slotBytes-4]
		}
		for j := range payload {
			payload[j] = byte(random.Uint32())
		}
		taken := must.Get(links[i].Send(frame(payload)))(t)
		if taken {
			sent[i] = append(sent[i], frame(payload))
		}
		for len(sent[i]) > 0 && (!taken || random.IntN(8) == 0) {
			taken = true
			got, err := answer(t, links[i])
			if err != nil || !bytes.Equal(got, sent[i][0]) {
				t.Fatalf("link %d: found %d bytes, %v, want %d", i, len(got), err, len(sent[i][0]))
			}
			sent[i] = sent[i][1:]
		}
	}
	r, err := p.client.Report()
	if err != nil || r.Pairs != 3 || r.Frames == 0 || r.Writes > r.Frames || r.CPUNs == 0 ||
		r.Sockets.Sources != 3 {
		t.Errorf("found %+v, %v", r, err)
	}
	kernel.NeedTCPInfo(t)
	if r.Sockets.SentPackets == 0 {
		t.Errorf("found no packets: %+v", r.Sockets)
	}
}

// TestServerEnds: the reason of a server's end arrives behind its last answers, also when no request
// was under way.
func TestServerEnds(t *testing.T) {
	p := start(t, Config{})
	gone := make(chan struct{})
	port := listen(t, func(c net.Conn) {
		_, _ = io.CopyN(c, c, 2*8)
		select {
		case <-gone:
		case <-t.Context().Done():
		}
	})
	l := p.join(t, port, 4096)
	for _, payload := range []string{"some", "more"} {
		send(t, l, payload)
		if got, err := answer(t, l); err != nil || string(got[4:]) != payload {
			t.Fatalf("found %q, %v", got, err)
		}
	}
	close(gone)
	eventually(t, "the end", func() bool { return p.report(0).Sockets.Sources == 1 && p.open() == 0 })
	send(t, l, "late")
	_, err := answer(t, l)
	for _, want := range []string{"proxy " + p.Addr(), "the server at 127.0.0.1:", "closed the connection"} {
		must.Fail(t, err, want)
	}
}

// open counts the open TCP connections.
func (s *Server) open() (n int) {
	for _, p := range s.pumps {
		p.mu.Lock()
		n += len(p.open)
		p.mu.Unlock()
	}
	return n
}

// TestServerSpeaksWrong: frames that do not fit, or cannot be read, end the pair with the reason.
func TestServerSpeaksWrong(t *testing.T) {
	p := start(t, Config{})
	for want, bad := range map[string][]byte{
		"found 3 bytes":   {3, 0, 0, 0},
		"client's slots":  frame(make([]byte, 5000)),
		"with 1 batches":  {20, 0, 0, 0, 1},
		"the connection ": {20},
	} {
		l := p.join(t, listen(t, func(c net.Conn) {
			_, _ = io.ReadFull(c, make([]byte, 8))
			_, _ = c.Write(bad)
		}), 4096)
		send(t, l, "some")
		_, err := answer(t, l)
		must.Fail(t, err, want)
	}
	// A server that sends without being asked fills a bounded buffer.
	l := p.join(t, listen(t, func(c net.Conn) { _, _ = c.Write(bytes.Repeat(frame([]byte("some")), 1<<17)) }), 64)
	eventually(t, "the end", func() bool { return p.open() == 0 })
	send(t, l, "some")
	if got, err := answer(t, l); err != nil || string(got[4:]) != "some" {
		t.Errorf("the first answer: found %q, %v", got, err)
	}
}

// TestClientLeaves: a client that leaves, or breaks the rules, takes its TCP connection with it. The
// others go on, and nothing is left.
func TestClientLeaves(t *testing.T) {
	p := start(t, Config{})
	ended := make(chan struct{}, 3)
	port := listen(t, func(c net.Conn) {
		echo(c)
		ended <- struct{}{}
	})
	stays, leaves, breaks := p.join(t, port, 4096), p.join(t, port, 4096), p.join(t, port, 4096)
	for _, l := range []*Link{stays, leaves, breaks} {
		send(t, l, "some")
		must.Get(answer(t, l))(t)
	}
	leaves.Close()
	must.Get(breaks.Send([]byte("no frame")))(t)
	<-ended
	<-ended
	_, err := answer(t, breaks)
	must.Fail(t, err, "the client of this connection: frame: found")
	breaks.Close()
	send(t, stays, "more")
	if got, err := answer(t, stays); err != nil || string(got[4:]) != "more" {
		t.Errorf("found %q, %v", got, err)
	}
	eventually(t, "the others' end", func() bool { return p.report(0).Pairs == 1 })
}

// TestShortMessages: a message without a whole head, and one without a byte, end their pair with the
// reason. A neighbour on the same thread is still answered.
func TestShortMessages(t *testing.T) {
	for _, bytes := range []int{0, 1, testFrames.HeadBytes - 1} {
		p := start(t, Config{})
		port := listen(t, echo)
		stays, breaks := p.join(t, port, 4096), p.join(t, port, 4096)
		if taken, err := breaks.Send(make([]byte, bytes)); err != nil || !taken {
			t.Fatalf("send: %v, %v", taken, err)
		}
		want := fmt.Sprintf("message: found %d bytes", bytes)
		_, err := answer(t, breaks)
		must.Fail(t, err, want)
		send(t, stays, "some")
		if got, err := answer(t, stays); err != nil || string(got[4:]) != "some" {
			t.Errorf("found %q, %v", got, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWroteDropsEmptyPieces: a write never waits for a piece without bytes.
func TestWroteDropsEmptyPieces(t *testing.T) {
	for _, test := range []struct {
		pieces  []string
		n, left int
	}{
		{[]string{""}, 0, 0},
		{[]string{"ab", "", "c"}, 2, 1},
		{[]string{"ab", "", ""}, 2, 0},
		{[]string{"ab", "c"}, 1, 2},
		{[]string{"", "ab"}, 0, 1},
	} {
		q := &pair{pump: &pump{}}
		for _, piece := range test.pieces {
			q.unsent = append(q.unsent, []byte(piece))
		}
		if q.wrote(test.n); len(q.unsent) != test.left {
			t.Errorf("%q, %d bytes written: %d pieces are left, want %d", test.pieces, test.n,
				len(q.unsent), test.left)
		}
	}
}

// TestPartlyWritten: a request of which the kernel took a part goes on where that part ends, alone
// and with others behind it.
func TestPartlyWritten(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	must.Do(t, err)
	must.Do(t, unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 100_000))
	poller := must.Get(rawsocket.NewPoller())(t)
	defer poller.Close()
	server := os.NewFile(uintptr(fds[1]), "server")
	defer server.Close()
	defer unix.Close(fds[0])
	must.Do(t, poller.Watch(unix.EPOLL_CTL_ADD, fds[0], 0, unix.EPOLLIN))
	q := &pair{pump: &pump{poller: poller}, fd: fds[0]}
	var asked, came []byte
	for range 2 * maxPieces {
		request := make([]byte, 300_000)
		rand.NewChaCha8([32]byte{byte(len(q.unsent))}).Read(request)
		q.unsent, asked = append(q.unsent, request), append(asked, request...)
	}
	parts := map[bool]int{} // by whether others are behind it
	for buffer := make([]byte, 100_000); len(came) < len(asked); {
		if q.write(); q.cut != nil {
			t.Fatal(q.cut)
		}
		if q.written > 0 {
			parts[len(q.unsent) > 1]++
		}
		n := must.Get(server.Read(buffer))(t)
		came = append(came, buffer[:n]...)
	}
	if !bytes.Equal(came, asked) || parts[false] == 0 || parts[true] == 0 {
		t.Errorf("found other bytes than written, or few parts: %v", parts)
	}
}

// TestCutKeepsNoRequests: after the server's end, requests get the reason and are not kept.
func TestCutKeepsNoRequests(t *testing.T) {
	application, there := newMemory(8, 64)
	q := &pair{
		lane: there, frames: &testFrames, slot: 64, fd: -1, cut: errors.New("it is over"),
		unsent: make([][]byte, 0, 8),
	}
	message := frame([]byte("some"))
	for range 1000 {
		copy(application.Slot(), message)
		must.Do(t, application.Send(len(message), 0))
		must.Get(q.forward())(t)
		if m, ok := application.Receive(); !ok || m.Code != CodeEnded {
			t.Fatalf("found %+v, %v, want the reason", m, ok)
		}
	}
	if len(q.unsent) > 0 || cap(q.unsent) > 8 || q.owed > 0 {
		t.Errorf("%d requests are kept, with room for %d; %d answers are owed", len(q.unsent),
			cap(q.unsent), q.owed)
	}
}

// TestLostLane: the first lane that fails is reported, a client that leaves is not.
func TestLostLane(t *testing.T) {
	told := make(chan string, 9)
	p := start(t, Config{tell: func(text string) { told <- text }})
	port := listen(t, echo)
	p.join(t, port, 4096).Close()
	eventually(t, "the end", func() bool { return p.report(0).Pairs == 0 })
	for range 2 {
		l := p.join(t, port, 4096)
		lane := l.lane.(*memoryEnd)
		lane.mu.Lock()
		lane.broken = errors.New("the device has failed")
		lane.mu.Unlock()
		eventually(t, "the end", func() bool { return p.report(0).Pairs == 0 })
	}
	if text := <-told; !strings.Contains(text, "connection ended: the device has failed") || len(told) > 0 {
		t.Errorf("found %q and %d more", text, len(told))
	}
}

// TestProxyEnds: its clients learn it.
func TestProxyEnds(t *testing.T) {
	p := start(t, Config{})
	l := p.join(t, listen(t, echo), 4096)
	must.Do(t, p.Close())
	_, err := answer(t, l)
	must.Fail(t, err, "proxy "+p.Addr())
	if n := p.report(0); n.Pairs != 0 || p.open() != 0 {
		t.Errorf("found %+v", n)
	}
}

// TestHostileHellos: a proxy refuses them with a reason or ends them, and serves the next client.
func TestHostileHellos(t *testing.T) {
	p := start(t, Config{MaxConnections: 4})
	port := listen(t, echo)
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":              "side channel",
		"{}\n":                                "allowed: \"dpukv proxy 1\"",
		`{"protocol":"dpukv proxy 9"}` + "\n": "found \"dpukv proxy 9\"",
		`{"protocol":"dpukv proxy 1","port":-1}` + "\n":                          "port: found -1",
		`{"protocol":"dpukv proxy 1","port":70000}` + "\n":                       "port: found 70000",
		`{"protocol":"dpukv proxy 1","port":80,"slot_bytes":1}` + "\n":           "slots: found 1 bytes",
		`{"protocol":"dpukv proxy 1","port":80,"slot_bytes":99999999999}` + "\n": "slots: found",
		`{"protocol":"dpukv proxy 1","port":1,"slot_bytes":4096}` + "\n":         "connect to the server",
		strings.Repeat("x", 2*helloBytes) + "\n":                                 "allowed: at most 4096 bytes",
	} {
		if got := say(t, p.Addr(), text); !strings.Contains(got, want) {
			t.Errorf("%.60q: found %q, want %q", text, got, want)
		}
	}
	// One that says nothing takes no place of a pair.
	silent := must.Get(net.Dial("tcp", p.Addr()))(t)
	defer silent.Close()
	l := p.join(t, port, 4096)
	send(t, l, "some")
	must.Get(answer(t, l))(t)
	for range 3 {
		p.join(t, port, 4096)
	}
	_, _, _, err := p.client.greet(t.Context(), hello{Port: port, SlotBytes: 4096})
	must.Fail(t, err, "all 4 places of this proxy in use")
}

// TestFullProxyReports: the pairs of a full proxy leave room for reports, and a pair that leaves
// makes room for another.
func TestFullProxyReports(t *testing.T) {
	p := start(t, Config{MaxConnections: 2})
	port := listen(t, echo)
	first := p.join(t, port, 4096)
	p.join(t, port, 4096)
	for range 2 * reportPlaces {
		r, err := p.client.Report()
		if err != nil || r.Pairs != 2 || r.MaxConnections != 2 || r.OthersPairs != 0 {
			t.Fatalf("found %+v, %v", r, err)
		}
	}
	p.client.report.MaxConnections = 2
	must.Fail(t, p.client.Room(1), "found 2 open and 1 more")
	if r, err := newClient(p.Addr()).Report(); err != nil || r.OthersPairs != 2 {
		t.Errorf("another client: found %+v, %v", r, err)
	}
	first.Close()
	eventually(t, "a place", func() bool { return p.report(0).Pairs == 1 })
	if err := p.client.Room(1); err != nil {
		t.Error(err)
	}
	p.join(t, port, 4096)
}

// TestSilentConnection: it loses its place at the door.
func TestSilentConnection(t *testing.T) {
	p := start(t, Config{HelloTimeout: 50 * time.Millisecond})
	for _, text := range []string{"", `{"protocol":`} {
		if got := say(t, p.Addr(), text); !strings.Contains(got, "i/o timeout") {
			t.Errorf("%q: found %q", text, got)
		}
	}
	eventually(t, "its place", func() bool { return p.door.Counts().Open == 0 })
}

// TestSocketsNeverFall: while pairs leave, the sums of a report have each of them once.
func TestSocketsNeverFall(t *testing.T) {
	p := start(t, Config{Threads: 2})
	port := listen(t, echo)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			conn, _, _, err := p.client.greet(context.Background(), hello{Port: port, SlotBytes: 4096})
			if err != nil {
				t.Error(err)
				return
			}
			_ = (<-p.lanes).Close()
			_ = conn.Close()
		}
	}()
	last := 0
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		now := p.report(0).Sockets.Sources
		if now < last {
			t.Fatalf("%d connections after %d", now, last)
		}
		last = now
	}
	eventually(t, "all", func() bool { return p.report(0).Sockets.Sources == 100 })
}

// TestLaneMemory: a lane that the proxy has no memory for is refused before it allocates any, and
// the client gets the reason. Smaller lanes go on, and memory comes back.
func TestLaneMemory(t *testing.T) {
	p := start(t, Config{LaneBytes: 3 << 20, accept: acceptLane})
	port := listen(t, echo)
	c := must.Get(Dial(t.Context(), p.Addr(), kvs.Device{}, ""))(t)
	defer c.Close()
	join := func(window, slotBytes int, want string) *Link {
		t.Helper()
		l, err := c.Join(port, window, slotBytes)
		if want == "" {
			must.Do(t, err)
		}
		must.Fail(t, err, want)
		return l
	}
	large := join(15, 64<<10, "") // two arrays of 1 MiB
	join(15, 64<<10, "the peer refuses: lane: found 16 slots of 65536 bytes")
	small := join(1, 4096, "")
	send(t, small, "some")
	if got, err := answer(t, small); err != nil || string(got[4:]) != "some" {
		t.Errorf("found %q, %v", got, err)
	}
	large.Close()
	eventually(t, "the large lane's end", func() bool { return p.report(0).Pairs == 1 })
	join(15, 64<<10, "").Close()
	small.Close()
	eventually(t, "no pairs", func() bool { return p.report(0).Pairs == 0 })
	if p.places.bytes != 0 {
		t.Errorf("%d bytes are missing", p.places.bytes)
	}
}

// TestLaneOffers: an offer beyond the limits is refused by the acceptance.
func TestLaneOffers(t *testing.T) {
	p := start(t, Config{})
	v := &visit{server: p.Server, hello: hello{SlotBytes: 1 << 20}}
	for want, s := range map[string]mqueue.Shape{
		"allowed: those of the hello": {Slots: 2, SlotBytes: 4096},
		"allowed: together 67108864":  {Slots: 128, SlotBytes: 1 << 20},
	} {
		must.Fail(t, v.lend(s), want)
	}
	if p.places.bytes != 0 {
		t.Errorf("%d bytes are lent", p.places.bytes)
	}
}

// say sends a text and returns what comes back.
func say(t *testing.T, addr, text string) string {
	t.Helper()
	c := must.Get(net.Dial("tcp", addr))(t)
	defer c.Close()
	_, _ = c.Write([]byte(text))
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%.60q: nothing comes back", text)
	}
	return strings.ReplaceAll(string(got), `\"`, `"`)
}

// TestNotAServer: a client names what it found in a proxy's place, and in a server's.
func TestNotAServer(t *testing.T) {
	stranger := kvstest.Stranger(t, "220 smtp\r\n")
	_, err := newClient(stranger).Report()
	must.Fail(t, err, "check that it is a proxy of dpukv")
	told := make(chan string, 9)
	p := start(t, Config{tell: func(text string) { told <- text }})
	open := portOf(stranger)
	closed := listen(t, echo)
	var texts []string
	for _, port := range []int{open, 1, closed} {
		_, _, _, err = p.client.greet(t.Context(), hello{Port: port, SlotBytes: 4096})
		if port == closed {
			if err != nil {
				t.Error(err)
			}
			<-p.lanes
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "found no server that greets") {
			t.Fatalf("found %v", err)
		}
		texts = append(texts, strings.ReplaceAll(err.Error(), fmt.Sprint(":", port), ":PORT"))
	}
	if texts[0] != texts[1] {
		t.Errorf("a client can tell an open port from a closed one: %q", texts)
	}
	if text := <-told; !strings.Contains(text, "the server does not greet") || len(told) > 0 {
		t.Errorf("the proxy's user reads %q and %d more", text, len(told))
	}
}

// TestConfig refuses what a proxy cannot have.
func TestConfig(t *testing.T) {
	for want, cfg := range map[string]Config{
		"threads: found 0":     {Host: "localhost"},
		"threads: found 65":    {Host: "localhost", Threads: 65},
		"server: found none":   {Threads: 1},
		"connections: found a": {Host: "localhost", Threads: 1, MaxConnections: 1 << 40},
	} {
		cfg.Listen = "127.0.0.1:0"
		if s, err := Start(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, want %q", err, want)
			if s != nil {
				s.Close()
			}
		}
	}
}

// TestLanesFit: the memory of lanes shrinks to what is left. What was asked for does not, and a proxy
// without room for a few lanes does not start.
func TestLanesFit(t *testing.T) {
	full := errors.New("no memory")
	const visits = (8 + reportPlaces) * visitBytes
	for name, test := range map[string]struct {
		asked, memory, lanes int64
	}{
		"enough":               {0, 2 << 30, defaultLaneBytes},
		"a quarter":            {0, 300 << 20, 256 << 20},
		"visits count":         {0, 256<<20 + visits - 1, 128 << 20},
		"a few lanes":          {0, leastLaneBytes + visits, leastLaneBytes},
		"less than a few":      {0, leastLaneBytes + visits - 1, 0},
		"asked for, too much":  {64 << 20, 64 << 20, 0},
		"asked for, and there": {64 << 20, 64<<20 + visits, 64 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			c := Config{MaxConnections: 8, LaneBytes: test.asked}
			err := c.limitMemory(func(size int64, _ offheap.Pages) error {
				if size > test.memory {
					return full
				}
				return nil
			})
			if (test.lanes == 0) != errors.Is(err, full) || err == nil && c.LaneBytes != test.lanes {
				t.Errorf("found %d bytes, %v, want %d", c.LaneBytes, err, test.lanes)
			}
		})
	}
}

// TestPumpAllocatesNothing counts the allocations of a round through a proxy.
func TestPumpAllocatesNothing(t *testing.T) {
	p := start(t, Config{})
	l := p.join(t, listen(t, echo), 4096)
	message := frame([]byte("some"))
	if n := testing.AllocsPerRun(200, func() {
		if _, err := l.Send(message); err != nil {
			t.Fatal(err)
		}
		if _, err := answer(t, l); err != nil {
			t.Fatal(err)
		}
	}); n > float64(memoryAllocs) {
		t.Errorf("found %v allocations a round, want those of the test's lane: %d", n, memoryAllocs)
	}
}

// memoryAllocs are the allocations of a memory lane for a request and its answer: two messages and
// three queues.
const memoryAllocs = 5
