package herd

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"

	"golang.org/x/sys/unix"
)

// works makes sure that a server still serves.
func works(t *testing.T, server *Server) {
	t.Helper()
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 4, Window: 1, Connections: 1})
	if a := do(t, s, []kvs.Request{{Op: kvs.Set, Key: key(1), Value: value(1, 8)}}); a[0].Status != kvs.OK {
		t.Fatalf("another client: %s", a[0].Status)
	}
}

func frameOf(k kind, body string) []byte {
	b := make([]byte, frameHeaderBytes)
	copy(b, frameMagic)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(body)))
	b[12], b[13] = protocolVersion, byte(k)
	return append(b, body...)
}

// TestGarbage sends garbage over the side channel. The sender receives a failure if possible, and
// nobody else notices.
func TestGarbage(t *testing.T) {
	server := startServer(t, testConfig())
	greeting := frameOf(kindHello, "{}")
	huge := frameOf(kindHello, "")
	binary.LittleEndian.PutUint32(huge[8:], maxBodyBytes+1)
	older := frameOf(kindHello, "{}")
	older[12] = 9
	reserved := frameOf(kindHello, "{}")
	reserved[14] = 1
	alsoReserved := frameOf(kindHello, "{}")
	alsoReserved[15] = 1
	with := func(more ...[]byte) []byte {
		return append(append([]byte(nil), greeting...), slices.Concat(more...)...)
	}
	for name, test := range map[string]struct {
		send []byte
		want string
	}{
		"http":            {[]byte("GET / HTTP/1.0\r\n\r\n"), "no dpukv HERD"},
		"a huge frame":    {huge, "at most"},
		"another version": {older, "found 9 there"},
		"byte 14":         {reserved, "allowed: zeros"},
		"byte 15":         {alsoReserved, "allowed: zeros"},
		"no hello":        {frameOf(kindAsk, "{}"), "allowed: 1"},
		"bad JSON":        {with(frameOf(kindJoin, "{")), "join is invalid"},
		"no links":        {with(frameOf(kindJoin, `{"slots":4}`)), "found them for 0 workers"},
		"no slots":        {with(frameOf(kindJoin, `{"links":[{},{}]}`)), "slots: found 0"},
		"odd slots":       {with(frameOf(kindJoin, `{"slots":3,"links":[{},{}]}`)), "slots: found 3"},
		"too many slots":  {with(frameOf(kindJoin, `{"slots":1048576,"links":[{},{}]}`)), "slots: found 1048576"},
		"no endpoints":    {with(frameOf(kindJoin, `{"slots":4,"links":[{},{}]}`)), "cannot talk to"},
		"unknown kind":    {with(frameOf(77, "{}")), "kind: found 77"},
		"two hellos":      {with(greeting), "kind: found 1"},
	} {
		t.Run(name, func(t *testing.T) {
			c := must.Get(net.Dial("tcp", server.Addr()))(t)
			defer c.Close()
			c.SetDeadline(time.Now().Add(5 * time.Second))
			must.Get(c.Write(test.send))(t)
			for {
				k, body, err := readFrame(c)
				if err != nil {
					t.Fatalf("no failure frame: %v", err)
				}
				var f failure
				if k == kindFailure && json.Unmarshal(body, &f) == nil {
					if !strings.Contains(f.Error, test.want) {
						t.Errorf("told %q, want %q", f.Error, test.want)
					}
					break
				}
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && err == nil {
				t.Error("the connection goes on")
			}
		})
	}
	works(t, server)
}

// TestBadSlots checks that a client with illegal slots receives a failure and is disconnected, and
// that its slots become free.
func TestBadSlots(t *testing.T) {
	cfg := testConfig()
	cfg.MaxClients = 2
	server := startServer(t, cfg)
	cases := map[string]struct {
		want  string
		spoil func(word *control, slot []byte)
	}{
		"operation 0":      {"found operation 0", func(c *control, _ []byte) { *c &^= 7 << opShift }},
		"operation 7":      {"found operation 7", func(c *control, _ []byte) { *c |= 7 << opShift }},
		"eight zero bytes": {"found operation 0", func(c *control, _ []byte) { *c &^= shapeMask }},
		"long key":         {"do not fit", func(c *control, _ []byte) { *c |= 0xff << 16 }},
		"no key":           {"do not fit", func(c *control, _ []byte) { *c &^= 0xff << 16 }},
		"long value":       {"do not fit", func(c *control, _ []byte) { *c |= 0xffff }},
		"a GET's value":    {"found a value for a GET", func(c *control, _ []byte) { *c |= 8 }},
		"a foreign hash": {"found a key hash of worker", func(_ *control, slot []byte) {
			slot[len(slot)-wordBytes-1] ^= 0x80 // the hash's highest bit
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { badSlot(t, server, c.want, c.spoil) })
	}
	works(t, server)
	stats := must.Get(server.Stats())(t)
	if bad := int(stats.Workers[0].BadFrames + stats.Workers[1].BadFrames); bad != len(cases) {
		t.Errorf("%d bad requests counted, want %d", bad, len(cases))
	}
}

// badSlot makes a session write a hostile request, and waits for the server's failure frame.
func badSlot(t *testing.T, server *Server, want string, spoil func(word *control, slot []byte)) {
	t.Helper()
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1}).(*session)
	must.Get(s.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}))(t)
	for _, l := range s.links {
		if l.staged() > 0 {
			i := l.posted & (l.entries - 1)
			spoil(l.control(i), l.bytes[int(i)*l.slotBytes:][:l.slotBytes])
		}
	}
	must.Do(t, s.Flush())
	awaitWord(t, s, want)
}

// TestStrangeSequences checks that a worker waits behind a word that no request has written yet,
// without harm to others.
func TestStrangeSequences(t *testing.T) {
	server := startServer(t, testConfig())
	s := openTest(t, dial(t, server), kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1}).(*session)
	must.Get(s.Submit(&kvs.Request{Op: kvs.Get, Key: key(1), Hash: hashOf(key(1))}))(t)
	for _, l := range s.links {
		if l.staged() > 0 {
			*l.control(l.posted & (l.entries - 1)) += 1000 << sequenceShift
		}
	}
	must.Do(t, s.Flush())
	answers, err := s.Poll(nil, 100*time.Millisecond)
	if err != nil || len(answers) > 0 {
		t.Errorf("%v, %v", answers, err)
	}
	works(t, server)
}

func TestStartRefuses(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for name, change := range map[string]func(*Config){
		"port taken":       func(c *Config) { c.Listen = taken.Addr().String() },
		"no port":          func(c *Config) { c.Listen = "127.0.0.1" },
		"no workers":       func(c *Config) { c.Workers = 0 },
		"no items":         func(c *Config) { c.Items = 0 },
		"small log":        func(c *Config) { c.LogBytes = 100 },
		"no such CPU":      func(c *Config) { c.CPUs = []int{1000} },
		"no hash":          func(c *Config) { c.Hash = "" },
		"no such device":   func(c *Config) { c.Device = "mlx5_0" },
		"no such address":  func(c *Config) { c.Device = "softroce:192.0.2.1" },
		"window":           func(c *Config) { c.Window = 1 << 20 },
		"slots":            func(c *Config) { c.SlotBytes = 60 },
		"slots not padded": func(c *Config) { c.SlotBytes = 100 },
		"clients":          func(c *Config) { c.MaxClients = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig()
			change(&cfg)
			s, err := Start(cfg)
			if err == nil {
				s.Close()
				t.Fatal("was started")
			}
			t.Log(err)
		})
	}
}

func TestDialRefuses(t *testing.T) {
	other := kvstest.Stranger(t, "HTTP/1.0 400 Bad Request\r\n\r\n")
	server := startServer(t, testConfig())
	for _, test := range []struct{ addr, device string }{
		{other, ""},
		{"127.0.0.1:1", ""},
		{"nonsense", ""},
		{server.Addr(), "mlx5_0"},
		{server.Addr(), "softroce:" + verbstest.Addr(0)},
	} {
		r, err := Dial(t.Context(), test.addr, Options{Device: test.device})
		if err == nil {
			r.Close()
			t.Fatalf("%v was dialled", test)
		}
		t.Log(err)
	}
}

// TestOpenRefuses what would never fit.
func TestOpenRefuses(t *testing.T) {
	cfg := testConfig()
	cfg.Window = 64
	r := dial(t, startServer(t, cfg))
	for _, opts := range []kvs.SessionOptions{
		{},
		{Batch: 65, Window: 1, Connections: 1},
		{Batch: 32, Window: 3, Connections: 1},
		{Batch: 1 << 40, Window: 1 << 40, Connections: 1},
		{Batch: 1, Window: 1},
	} {
		if s, err := r.Open(opts); err == nil {
			s.Close()
			t.Errorf("%+v was opened", opts)
		}
	}
	s := openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	for _, request := range []kvs.Request{
		{Op: kvs.Set, Key: key(1), Value: make([]byte, 33)}, {Op: kvs.Get, Key: make([]byte, 60)}, {Op: kvs.Get},
	} {
		if _, err := s.Submit(&request); err == nil {
			t.Errorf("%s of %d and %d bytes was taken", request.Op, len(request.Key), len(request.Value))
		} else {
			t.Log(err)
		}
	}
	if s.InFlight() != 0 {
		t.Errorf("%d in flight", s.InFlight())
	}
}

// TestSlotsThatChange checks a client that writes its slots while the worker reads them: key,
// value, hash and control word. It must harm nobody. The memory is mapped, like a device's: the
// race detector does not see it, and these accesses are races.
func TestSlotsThatChange(t *testing.T) {
	server, device := fuzzServer(t)
	w := server.workers[0]
	slotBytes := server.cfg.SlotBytes
	mapped := must.Get(unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	defer unix.Munmap(mapped)
	slots := mapped[:simSlots*slotBytes]
	c := &client{server: server, conn: newSimConn(nil, &simFiles{}), number: 1, pd: server.pd}
	in := must.Get(w.newInbox(c, slots, endpoint{}))(t)
	good, others := fuzzInbox(t, server)
	w.inboxes = append(w.inboxes, in)
	var next atomic.Uint32
	next.Store(simSlots)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() { tear(slots, slotBytes, &next, stop) })
	var answers []answer
	device.deliver = func(qpn uint32, word answer, value []byte) {
		if qpn == 9 {
			answers = append(answers, word)
			if word.sequence()%2 == 1 && (word.status() != kvs.OK || string(value) != "the value") {
				t.Errorf("request %d: %s %q", word.sequence(), word.status(), value)
			}
		}
	}
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
		t.Log("a short run: fewer rounds")
	}
	torn := func(rounds int) bool { return w.counters.Ops > uint64(rounds) } // some of the other's were taken
	i := 0
	for ; i < rounds || !torn(i) && i < 100*rounds; i++ {
		n := good.next
		op, value := kvs.Set, []byte("the value")
		if n%2 == 1 {
			op, value = kvs.Get, nil
		}
		at := int(n&(simSlots-1)) * slotBytes
		putRequest(others[at:at+slotBytes], n,
			&kvs.Request{Op: op, Key: []byte("mine"), Hash: 1 << 20}, value, math.MaxInt)
		for had := len(answers); len(answers) == had; {
			must.Get(w.step())(t)
			next.Store(in.next)
		}
		if in.ending { // begin again: its writer goes on
			in.ending = false
			in.next = simSlots
			clear(in.taken)
		}
		if good.ending {
			t.Fatalf("another client is shown out in round %d", i)
		}
	}
	close(stop)
	writer.Wait()
	if len(answers) != i || !torn(i) {
		t.Errorf("%d answers to %d requests, %d operations: the one that tears had none", len(answers), i,
			w.counters.Ops)
	}
	close(w.ended)
	close(server.workers[1].ended)
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// tear writes requests with legal control words, and changes all their words all the time.
func tear(slots []byte, slotBytes int, next *atomic.Uint32, stop <-chan struct{}) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(at int) *uint64 { return (*uint64)(unsafe.Pointer(&slots[at])) }
	for i := 0; ; i++ {
		if i%1024 == 0 {
			select {
			case <-stop:
				return
			default:
			}
		}
		n := next.Load() + uint32(rng.IntN(2))
		end := int(n&(simSlots-1)+1) * slotBytes
		for at := end - slotBytes; at < end-tailBytes; at += wordBytes {
			atomic.StoreUint64(word(at), uint64(rng.IntN(3))) // a few keys and values, which meet
		}
		atomic.StoreUint64(word(end-tailBytes), uint64(rng.IntN(4))) // of the first worker's partition
		control := makeControl(n, kvs.Get+kvs.Op(rng.IntN(4)), 8+8*rng.IntN(2), 0)
		if op := control.op(); op == kvs.Set || op == kvs.Add {
			control |= 8
		}
		if rng.IntN(4000) == 0 {
			control ^= 1 << rng.IntN(27) // perhaps not legal
		}
		atomic.StoreUint64(word(end-wordBytes), uint64(control))
	}
}

// softRoCEPair are the devices of a server and its client.
func softRoCEPair() (server, client string) {
	return "softroce:" + verbstest.Addr(1), "softroce:" + verbstest.Addr(2)
}

// counting is a device that counts protection domains.
type counting struct {
	verbs.Device
	domains atomic.Int64
}

func (d *counting) opener(name string, opts *provider.Options) (_ verbs.Device, err error) {
	d.Device, err = openDevice(name, opts)
	return d, err
}

func (d *counting) AllocPD() (verbs.PD, error) {
	d.domains.Add(1)
	pd, err := d.Device.AllocPD()
	return &ownPD{PD: pd}, err
}

// ownPD is another value for each domain, whatever the provider returns.
type ownPD struct {
	verbs.PD
	_ byte
}

// spoiling is a device that, when told so, does not send to one queue pair and does not close it.
type spoiling struct {
	verbs.Device
	qpn                 atomic.Uint32
	refuse, fail, stuck atomic.Bool
}

var (
	errRefused = errors.New("the device does not take this")
	errStuck   = errors.New("stuck")
)

func (d *spoiling) opener(name string, opts *provider.Options) (_ verbs.Device, err error) {
	d.Device, err = openDevice(name, opts)
	return d, err
}

func (d *spoiling) AllocPD() (verbs.PD, error) {
	pd, err := d.Device.AllocPD()
	return spoilingPD{pd, d}, err
}

func (d *spoiling) CreateCQ(depth int) (verbs.CQ, error) {
	cq, err := d.Device.CreateCQ(depth)
	return &spoilingCQ{CQ: cq}, err
}

type spoilingCQ struct {
	verbs.CQ
	failed []verbs.WC
}

func (q *spoilingCQ) Poll(wcs []verbs.WC) (int, error) {
	n, err := q.CQ.Poll(wcs)
	if err == nil && n < len(wcs) && len(q.failed) > 0 {
		m := copy(wcs[n:], q.failed)
		q.failed = q.failed[m:]
		n += m
	}
	return n, err
}

type spoilingPD struct {
	verbs.PD
	device *spoiling
}

func (p spoilingPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	cq := cfg.SendCQ.(*spoilingCQ)
	cfg.SendCQ, cfg.RecvCQ = cq.CQ, cfg.RecvCQ.(*spoilingCQ).CQ
	qp, err := p.PD.CreateQP(cfg)
	return &spoilingQP{qp, p.device, cq}, err
}

type spoilingQP struct {
	verbs.QP
	device *spoiling
	cq     *spoilingCQ
}

func (q *spoilingQP) PostSend(wrs []verbs.SendWR) (int, error) {
	d := q.device
	for i := range wrs {
		if wr := &wrs[i]; q.Type() != verbs.UD || wr.QPN != d.qpn.Load() {
			continue
		}
		if d.refuse.Load() {
			if i > 0 {
				if n, err := q.QP.PostSend(wrs[:i]); err != nil {
					return n, err
				}
			}
			return i, errRefused
		}
		if d.fail.Load() {
			q.cq.failed = append(q.cq.failed, verbs.WC{ID: wrs[i].ID, Status: verbs.StatusLocalQPOp})
		}
	}
	return q.QP.PostSend(wrs)
}

func (q *spoilingQP) Close() error {
	if q.device.stuck.Load() && q.Type() == verbs.UC {
		return errStuck
	}
	return q.QP.Close()
}
