package herd

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/verbs"
)

// stranger is a side channel without a session behind it.
type stranger struct {
	net.Conn
	t *testing.T
}

func newStranger(t *testing.T, server *Server) *stranger {
	t.Helper()
	c := must.Keep(net.Dial("tcp", server.Addr()))(t)
	must.Do(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return &stranger{c, t}
}

// write sends bytes, as far as the server takes them.
func (s *stranger) write(b []byte) { _, _ = s.Write(b) }

// hear returns the server's failure text, or "" if the server only closes the connection.
func (s *stranger) hear() string {
	s.t.Helper()
	for {
		k, body, err := readFrame(s)
		var timed net.Error
		if errors.As(err, &timed) && timed.Timeout() {
			s.t.Fatal("nothing is heard")
		}
		if err != nil {
			return ""
		}
		var f failure
		if k == kindFailure && json.Unmarshal(body, &f) == nil {
			return f.Error
		}
	}
}

// flaky is a listener of which some Accepts fail.
type flaky struct {
	net.Listener
	errnos chan syscall.Errno
}

func (f *flaky) Accept() (net.Conn, error) {
	select {
	case e := <-f.errnos:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: e}
	default:
		return f.Listener.Accept()
	}
}

// TestAcceptFails checks that a server survives errors of Accept: a lack of descriptors, or a
// connection that is gone.
func TestAcceptFails(t *testing.T) {
	errnos := make(chan syscall.Errno, 8)
	cfg := testConfig()
	cfg.listen = func(addr string) (net.Listener, error) {
		l, err := net.Listen("tcp", addr)
		return &flaky{l, errnos}, err
	}
	server := startServer(t, cfg)
	openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	for _, e := range []syscall.Errno{
		syscall.EMFILE, syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ENOBUFS,
	} {
		errnos <- e
	}
	works(t, server)
	stats, err := server.Stats()
	if err != nil || !saysAll(strings.Join(stats.Warnings, ";"), "5 attempts to accept a connection failed",
		"no buffer space") {
		t.Errorf("%q, %v", stats.Warnings, err)
	}
}

// TestFloodOfConnections checks that connections without a place receive the reason, and that
// sessions continue.
func TestFloodOfConnections(t *testing.T) {
	cfg := testConfig()
	cfg.MaxConnections = 4
	server := startServer(t, cfg)
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	var flood []*stranger
	for range 20 {
		flood = append(flood, newStranger(t, server))
	}
	refused := 0
	for _, c := range flood[2:] {
		if strings.Contains(c.hear(), "all 4 connections of this server are in use") {
			refused++
		}
	}
	if refused != 18 {
		t.Errorf("%d were refused with the reason, want 18", refused)
	}
	do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1)}})
	for _, c := range flood {
		c.Close()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if r, err := Dial(t.Context(), server.Addr(), Options{}); err == nil {
			r.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the places are not given back")
		}
	}
	stats, err := server.Stats()
	if err != nil || !saysAll(strings.Join(stats.Warnings, ";"), "connections were refused") {
		t.Errorf("%q, %v", stats.Warnings, err)
	}
}

// TestRepeatOfAnother checks that a repeated request is the same as the first.
func TestRepeatOfAnother(t *testing.T) {
	server := startServer(t, testConfig())
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}).(*session)
	request := kvs.Request{Op: kvs.Set, Key: key(1), Value: value(1, 8)}
	do(t, s, []kvs.Request{request})
	for _, l := range s.links {
		if l.posted == l.slots {
			continue
		}
		word := l.control((l.posted - 1) & (l.entries - 1))
		*word = makeControl(word.sequence(), kvs.Get, 16, 0).again()
		l.add(l.posted - 1)
		must.Do(t, l.sends.flush())
	}
	awaitWord(t, s, "came again with other content")
	works(t, server)
}

func awaitWord(t *testing.T, s *session, want string) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); err == nil && time.Now().Before(deadline); {
		_, err = s.Poll(nil, 10*time.Millisecond)
	}
	must.Fail(t, err, want)
}

// TestOneCannotBeSent checks failed answers. If the device does not take the answer to one client,
// or takes it and fails, only that client's session ends. If the device does not free that client's
// slots either, the others keep theirs.
func TestOneCannotBeSent(t *testing.T) {
	for _, deviceName := range []string{"shm", "softroce"} {
		for name, spoil := range map[string]func(*spoiling){
			"not taken":        func(d *spoiling) { d.refuse.Store(true) },
			"completes badly":  func(d *spoiling) { d.fail.Store(true) },
			"nor closed again": func(d *spoiling) { d.refuse.Store(true); d.stuck.Store(true) },
		} {
			t.Run(deviceName+"/"+name, func(t *testing.T) {
				cfg := testConfig()
				var device spoiling
				client := Options{}
				if cfg.open = device.opener; deviceName == "softroce" {
					cfg.Device, client.Device = softRoCEPair()
				}
				cfg.Workers, cfg.MaxClients = 1, 3
				server := startServer(t, cfg)
				r := must.Keep(Dial(t.Context(), server.Addr(), client))(t)
				open := func() *session {
					return openTest(t, r, kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1}).(*session)
				}
				good, bad := open(), open()
				server.workers[0].do(func() {
					device.qpn.Store(server.workers[0].inboxes[1].answer.QPN)
				})
				spoil(&device)
				must.Get(bad.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}))(t)
				must.Do(t, bad.Flush())
				for i := range 500 { // the queue of sends goes round more than once
					do(t, good, []kvs.Request{{Op: kvs.Set, Key: key(i), Value: value(i, 32)}})
				}
				awaitWord(t, bad, "an answer could not be sent")
				stats, err := server.Stats()
				if err != nil || !saysAll(strings.Join(stats.Warnings, ";"), "answers to a client could not be sent") {
					t.Errorf("%q, %v", stats.Warnings, err)
				}
				device.stuck.Store(false)
			})
		}
	}
}

// TestSlotsThatCannotBeFreed stay the gone client's, and the server goes on.
func TestSlotsThatCannotBeFreed(t *testing.T) {
	cfg := testConfig()
	var device spoiling
	cfg.open, cfg.MaxClients = device.opener, 2
	server := startServer(t, cfg)
	s := must.Get(dial(t, server).Open(kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1}))(t)
	device.stuck.Store(true)
	must.Do(t, s.Close())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		stats := must.Get(server.Stats())(t)
		if saysAll(strings.Join(stats.Warnings, ";"), "could not be freed, and are lost", "stuck") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q", stats.Warnings)
		}
	}
	device.stuck.Store(false)
	works(t, server)
	server.mu.Lock()
	defer server.mu.Unlock()
	if server.slotHolders < 1 || server.slotHolders > 2 {
		t.Errorf("%d clients have slots", server.slotHolders)
	}
}

// TestBadPeers checks that the server examines a whole join before it allocates anything for it.
func TestBadPeers(t *testing.T) {
	cfg := testConfig()
	cfg.Device, _ = softRoCEPair()
	cfg.Workers = 1
	server := startServer(t, cfg)
	local := server.workers[0].ud.Local()
	good := func() join {
		e := endpoint{local, local}
		e.UC.Type = verbs.UC
		return join{Slots: 4, Links: []endpoint{e}}
	}
	gid := func(text string) func(*endpoint) {
		return func(e *endpoint) {
			addr := verbs.GIDFromAddr(netip.MustParseAddr(text))
			e.UC.GID, e.UD.GID = addr, addr
		}
	}
	for name, test := range map[string]struct {
		spoil func(*endpoint)
		want  string
	}{
		"broadcast": {gid("255.255.255.255"), "allowed: a unicast address"},
		"multicast": {gid("224.0.0.1"), "allowed: a unicast address"},
		"nowhere":   {gid("0.0.0.0"), "allowed: a unicast address"},
		"class E":   {gid("250.1.2.3"), "allowed: a unicast address"},
		"MTU":       {func(e *endpoint) { e.UD.MTU *= 2 }, "path MTU"},
		"two devices": {
			func(e *endpoint) { e.UD.GID = verbs.GIDFromAddr(netip.MustParseAddr("127.0.0.9")) }, "two devices",
		},
		"no QP":          {func(e *endpoint) { e.UD.QPN = 0 }, "allowed: a QP from 1"},
		"a long QPN":     {func(e *endpoint) { e.UC.QPN = 1 << 24 }, "allowed: a QP from 1"},
		"a long PSN":     {func(e *endpoint) { e.UC.PSN = 1 << 24 }, "allowed: a QP from 1"},
		"a kernel's key": {func(e *endpoint) { e.UD.QKey = 1 << 31 }, "allowed: a QP from 1"},
	} {
		t.Run(name, func(t *testing.T) {
			j := good()
			test.spoil(&j.Links[0])
			text := must.Get(json.Marshal(j))(t)
			c := newStranger(t, server)
			c.write(append(frameOf(kindHello, "{}"), frameOf(kindJoin, string(text))...))
			if got := c.hear(); !strings.Contains(got, test.want) {
				t.Errorf("told %q, want %q", got, test.want)
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if server.slotHolders != 0 {
				t.Error("has slots")
			}
		})
	}
	if good := good(); good.check(server) != nil {
		t.Error("a good one is refused: ", good.check(server))
	}
}

// TestOnePDAClient: nobody's keys open another's slots.
func TestOnePDAClient(t *testing.T) {
	var device counting
	cfg := testConfig()
	cfg.open = device.opener
	server := startServer(t, cfg)
	for range 3 {
		openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	}
	server.mu.Lock()
	seen := map[verbs.PD]bool{server.pd: true}
	for c := range server.clients {
		if c.number != 0 {
			seen[c.pd] = true
		}
	}
	server.mu.Unlock()
	if len(seen) != 4 || device.domains.Load() != 4 {
		t.Errorf("%d domains for three clients and the server, %d were made", len(seen), device.domains.Load())
	}
}

// TestFrameBytes checks that a header alone, whatever length it promises, takes no memory.
func TestFrameBytes(t *testing.T) {
	promised := 4 << 20
	got := testing.AllocsPerRun(1, func() {
		body, err := readBody(strings.NewReader("only so much"), promised)
		if !errors.Is(err, io.ErrUnexpectedEOF) || cap(body) > 2*pieceBytes {
			t.Errorf("%d bytes of room, %v", cap(body), err)
		}
	})
	if got > 4 {
		t.Errorf("%v allocations", got)
	}
	whole := strings.Repeat("0123456789", 10_000)
	body, err := readBody(strings.NewReader(whole), len(whole))
	if err != nil || string(body) != whole {
		t.Errorf("%d of %d bytes, %v", len(body), len(whole), err)
	}
	server := startServer(t, testConfig())
	long := frameOf(kindJoin, strings.Repeat(" ", frameBytes(kindJoin, 2)+1))
	c := newStranger(t, server)
	c.write(append(frameOf(kindHello, "{}"), long[:frameHeaderBytes]...))
	if got := c.hear(); !strings.Contains(got, "allowed: at most 9216") {
		t.Errorf("told %q", got)
	}
}

// TestManyLinks checks that a join makes no more endpoints than there are workers, and no list
// twice.
func TestManyLinks(t *testing.T) {
	for _, text := range []string{
		`{"links":[{},{},{}]}`, `{"links":[],"links":[]}`, `{"slots":1}x`, `{"slots":1} {}`, `{"slots":1}}`,
		`{"slots":1}]`, `[]`, `{"more":1}`, ``,
	} {
		if j, err := parseJoin([]byte(text), 2); err == nil {
			t.Errorf("%s is read as %+v", text, j)
		}
	}
	if j, err := parseJoin([]byte(`{"links":[{},{}],"slots":3}`), 2); err != nil || len(j.Links) != 2 || j.Slots != 3 {
		t.Errorf("%+v, %v", j, err)
	}
}

// TestBudget checks that the server reports its clients' limits, and does not start if it could not
// keep them.
func TestBudget(t *testing.T) {
	cfg := testConfig()
	cfg.MaxClients, cfg.MaxConnections = 3, 5
	want := int64(3*2*1024*(64+9)) + 5*connectionBytes(2)
	if f := startServer(t, cfg).Facts(); f.MaxConnections != 5 || f.MaxClientBytes != want {
		t.Errorf("found %d connections, %d bytes, want %d", f.MaxConnections, f.MaxClientBytes, want)
	}
	cfg.MaxClients, cfg.Window, cfg.SlotBytes = 1<<16, maxWindow, MaxSlotBytes
	_, err := Start(cfg)
	must.Fail(t, err, "has ")
}
