package herd

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/nasty"
)

// simPair is a link and its worker, in one goroutine. The client's device has a nasty placement,
// and moves only when the test says so.
type simPair struct {
	world  *simulation.World
	server *Server
	worker *worker
	sim    *simDevice
	device *nasty.Device // of the client
	s      *session
	l      *link
	got    []kvs.Answer
}

// newSimPair makes a pair with a window of single requests. The answers are lost and late as the
// simDevice says.
func newSimPair(w *simulation.World, d *simDevice, slotBytes, window int, c nasty.Config) *simPair {
	c.Manual = true
	p := &simPair{world: w, sim: d, server: manualServer(w.TB(), d, 1, slotBytes)}
	p.worker = p.server.workers[0]
	p.device = nasty.Wrap(d, c)
	if err := p.join(window); err != nil {
		w.Failf("%v", err)
	}
	return p
}

func (p *simPair) join(window int) (err error) {
	r := &Remote{
		opts: Options{RetryAfter: time.Hour}, welcome: p.server.welcome(), device: p.device,
	}
	if r.port, err = p.device.Port(); err != nil {
		return err
	}
	if r.pd, err = p.device.AllocPD(); err != nil {
		return err
	}
	p.s = &session{
		remote: r, opts: kvs.SessionOptions{Batch: 1, Window: window, Connections: 1}, device: p.device,
		wcs: make([]verbs.WC, pollBatch), wrs: make([]verbs.SendWR, 0, 1), groups: make([]group, 1),
		waits: idle.NewBounded(idle.Policy{Spin: idle.AnswerSpin}),
	}
	if p.s.cq, err = p.device.CreateCQ(window); err != nil {
		return err
	}
	slots := powerOfTwo(window)
	if p.l, err = newLink(p.s, 0, 0, slots); err != nil {
		return err
	}
	p.s.links, p.s.groups[0].links = []*link{p.l}, []*link{p.l}
	c := &client{server: p.server, conn: newSimConn(nil, &simFiles{}), number: 1}
	if c.pd, err = p.sim.AllocPD(); err != nil {
		return err
	}
	region, err := c.pd.AllocMR(slots*p.server.cfg.SlotBytes, verbs.LocalWrite|verbs.RemoteWrite)
	if err != nil {
		return err
	}
	in, err := p.worker.newInbox(c, region.Bytes(), p.l.local())
	if err != nil {
		return err
	}
	p.worker.inboxes = append(p.worker.inboxes, in)
	return p.l.connect(in.local, region.Addr(), region.RKey())
}

func (p *simPair) submit(op kvs.Op, key string, value []byte) { p.submitAs(0, op, key, value) }

// submitAs sends one request, if there is room.
func (p *simPair) submitAs(cookie uint64, op kvs.Op, key string, value []byte) bool {
	k := fmt.Appendf(nil, "%-16s", key)
	ok, err := p.s.Submit(&kvs.Request{Cookie: cookie, Op: op, Key: k, Value: value, Hash: hashOf(k)})
	if err == nil {
		err = p.s.Flush()
	}
	if err != nil {
		p.world.Failf("%v", err)
	}
	return ok
}

// move gives one drawn piece effect.
func (p *simPair) move() {
	if _, err := p.device.Turn(); err != nil {
		p.world.Failf("%v", err)
	}
}

// work is one pass of the worker.
func (p *simPair) work() {
	if _, err := p.worker.step(); err != nil {
		p.world.Failf("the worker ends: %v", err)
	}
	for _, in := range p.worker.inboxes {
		if in.ending {
			p.world.Failf("the connection was ended: %v", in.client.reason)
		}
	}
}

// poll takes the answers that are there.
func (p *simPair) poll() []kvs.Answer {
	got, err := p.s.Poll(p.got[:0], 0)
	if err != nil {
		p.world.Failf("%v", err)
	}
	p.got = got
	return got
}

// repeat makes all requests in flight overdue.
func (p *simPair) repeat() {
	if err := p.l.retry(math.MaxInt64 / 2); err != nil {
		p.world.Failf("%v", err)
	}
}

// settle lets everything on the way arrive, and returns the last answer.
func (p *simPair) settle() (last kvs.Answer) {
	p.settleInto(func() {
		for _, last = range p.poll() {
			last.Value = bytes.Clone(last.Value)
		}
	})
	return last
}

func (p *simPair) settleInto(take func()) {
	for range 2 * scanEvery {
		for p.device.Waiting() > 0 {
			p.move()
		}
		p.work()
		take()
	}
}

// TestSimulationOfLink sends drawn requests through a link whose device gives them effect in any
// order that a model permits, and reads payload late. Answers are lost. Requests are repeated.
func TestSimulationOfLink(t *testing.T) {
	worlds := simWorlds
	if testing.Short() {
		worlds = 12
		t.Log("a short run: fewer worlds")
	}
	simulation.Run(t, worlds, func(w *simulation.World) { newSimLoad(w).run() })
}

// simLoad is the load on a pair: a map is its model. A key has one request at a time.
type simLoad struct {
	*simPair
	keys     []simKey
	requests []*simRequest // by cookie
}

func newSimLoad(w *simulation.World) *simLoad {
	d := newSimDevice(w)
	d.maxInline = []int{0, 64, 4096}[w.IntN(3)]
	d.late = w.OneIn(2)
	models := []nasty.Model{nasty.Ordered, nasty.LastWord, nasty.PCIe}
	c := nasty.Config{Model: models[w.IntN(len(models))], Seed: w.Uint64(), Early: w.OneIn(4)}
	l := &simLoad{simPair: newSimPair(w, d, 64<<w.IntN(3), 1+w.IntN(8), c)}
	w.Note("%s, slots of %d, %d of them, inline %d", c.Model, l.l.slotBytes, l.l.slots, d.maxInline)
	d.loseOneIn = 20
	d.meanwhile = l.move // while an end waits for it
	for i := range 6 {
		l.keys = append(l.keys, simKey{key: fmt.Append(nil, "key ", i)})
	}
	return l
}

func (l *simLoad) run() {
	for range simSteps {
		l.world.Step()
		switch l.world.IntN(8) {
		case 0, 1:
			l.send()
		case 2:
			l.repeat()
		case 3, 4, 5:
			l.move()
		case 6:
			l.work()
		case 7:
			l.receive()
		}
	}
	for range answerSteps {
		if l.s.InFlight() == 0 {
			return
		}
		l.repeat()
		l.settleInto(l.receive)
	}
	l.world.Failf("%d requests have no answer", l.s.InFlight())
}

// send sends a request for a key that has none in flight.
func (l *simLoad) send() {
	k := &l.keys[l.world.IntN(len(l.keys))]
	if k.busy {
		return
	}
	r := &simRequest{op: kvs.Get + kvs.Op(l.world.IntN(4)), key: k}
	if r.op == kvs.Set || r.op == kvs.Add {
		most := l.l.slotBytes - requestBytes(16, 0, 0)
		r.value = bytes.Repeat([]byte{byte('a' + len(l.requests)%26)}, l.world.IntN(most+1))
	}
	if l.submitAs(uint64(len(l.requests)), r.op, string(k.key), r.value) {
		l.world.Note("request %d: %s %s %s", len(l.requests), r.op, k.key, r.value)
		k.busy = true
		l.requests = append(l.requests, r)
	}
}

// receive checks the answers.
func (l *simLoad) receive() {
	for _, a := range l.poll() {
		r := l.requests[a.Cookie]
		r.key.busy = false
		if wrong := r.check(a.Status, a.Value); wrong != "" {
			l.world.Failf("request %d: a wrong answer to %s %s: %s %s: %s", a.Cookie, r.op, r.key.key, a.Status,
				a.Value, wrong)
		}
	}
}

// TestPutBackOfLink puts the faults of links back, one by one.
func TestPutBackOfLink(t *testing.T) {
	staged := simulation.Edit{
		File: "link.go", Old: "if l.repeated > l.sends.completed {", New: "if l.repeated > l.sends.signed {",
	}
	unchecked := simulation.Edit{
		File: "inbox.go", Old: "in.checks = in.whole < s.cfg.SlotBytes", New: "in.checks = false",
	}
	simulation.PutBack(t, "^TestLateRepeat$|^TestEveryOrder$", []simulation.Fault{
		{Name: "staged before the repeats have left", Edits: []simulation.Edit{staged}, Want: "GET key = AAAA"},
		{Name: "no look at check words", Edits: []simulation.Edit{unchecked}, Want: "looks after 1: ok; GET key = A*"},
	})
}
