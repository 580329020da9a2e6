package herd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/nasty"
)

// simClient is a client in a simulation: a side channel, and slots once it has joined.
type simClient struct {
	sim      *sim
	number   int
	honest   bool
	conn     *simConn
	begun    int // the step in which it connected
	greeted  bool
	asked    bool // for slots
	slots    *slotGrant
	links    []*simLink
	keys     []simKey
	told     string // the server's last word
	questing int    // the step in which it asked for counters; 0: none
}

// simKey is a key that only one honest client writes, and its expected value.
type simKey struct {
	key    []byte
	hash   uint64
	stored bool
	value  []byte
	busy   bool // a request is in flight
}

// simLink is a client's way to one worker.
type simLink struct {
	client *simClient
	worker int
	uc, ud uint32 // the client's queue pairs
	slots  uint32
	base   uint64 // of slot 0
	oldest uint32
	next   uint32
	flight map[uint32]*simRequest
	way    *nasty.Flight // of WRITEs to the server's slots
	held   map[*nasty.Message][]byte
}

// simRequest is one that has no answer yet.
type simRequest struct {
	op          kvs.Op
	key         *simKey
	value       []byte
	slot        []byte // as it is written
	begun, sent int    // steps
}

const simSlots = 4 // of a client at each worker

func (s *sim) newClient(honest bool) *simClient {
	s.clients++
	c := &simClient{sim: s, number: s.clients, honest: honest}
	if honest {
		for i := range 24 {
			k := fmt.Appendf(nil, "%03d-%04d", c.number, i)
			c.keys = append(c.keys, simKey{key: k, hash: hashOf(k)})
		}
	}
	c.connect()
	return c
}

// connect begins anew.
func (c *simClient) connect() {
	c.conn = newSimConn(c.sim.world, c.sim.files)
	c.begun, c.greeted, c.asked, c.slots, c.links = c.sim.steps, false, false, nil, nil
	c.sim.listener.queue = append(c.sim.listener.queue, c.conn)
	c.sim.conns = append(c.sim.conns, c.conn)
}

func (c *simClient) String() string {
	if c.honest {
		return fmt.Sprintf("honest client %d", c.number)
	}
	return fmt.Sprintf("hostile client %d", c.number)
}

// join is what the client asks for slots with.
func (c *simClient) join() join {
	j := join{Slots: simSlots}
	local := verbs.Endpoint{
		Device: c.sim.device.Info(), LinkLayer: verbs.LinkEthernet, MTU: 1024,
		GID: verbs.GIDFromAddr(netip.AddrFrom4([4]byte{10, 0, 1, byte(c.number)})),
	}
	c.links = nil
	for i := range c.sim.server.workers {
		l := &simLink{
			client: c, worker: i, slots: simSlots, oldest: simSlots, next: simSlots, flight: map[uint32]*simRequest{},
			uc: c.sim.queue(), ud: c.sim.queue(), held: map[*nasty.Message][]byte{},
			way: nasty.NewFlight(c.sim.model, rand.New(rand.NewPCG(c.sim.model.Seed, uint64(c.sim.queues)))),
		}
		c.links = append(c.links, l)
		c.sim.byQPN[l.ud] = l
		uc, ud := local, local
		uc.Type, uc.QPN, uc.PSN = verbs.UC, l.uc, 1
		ud.Type, ud.QPN, ud.QKey = verbs.UD, l.ud, 77
		j.Links = append(j.Links, endpoint{uc, ud})
	}
	return j
}

func (c *simClient) say(k kind, v any) {
	frame, err := makeFrame(k, v)
	if err != nil {
		c.sim.world.Failf("%v", err)
	}
	c.conn.give(frame)
}

// listen reads the server's frames, and reacts to them.
func (c *simClient) listen() {
	for {
		k, body, ok := c.conn.frame()
		if !ok {
			return
		}
		switch k {
		case kindWelcome:
			c.greeted = true
		case kindSlotGrant:
			c.sitDown(body)
		case kindStats:
			c.questing = 0
		case kindFailure:
			var f failure
			_ = json.Unmarshal(body, &f)
			c.told = f.Error
			c.sim.world.Note("%s is told: %s", c, f.Error)
		}
	}
}

func (c *simClient) sitDown(body []byte) {
	var given slotGrant
	if err := json.Unmarshal(body, &given); err != nil {
		c.sim.world.Failf("a slot grant that is not understood: %v", err)
	}
	bytes := simSlots * c.sim.server.cfg.SlotBytes
	if err := given.check(len(c.links), bytes*len(c.links)); err != nil {
		c.sim.world.Failf("%v", err)
	}
	for i, l := range c.links {
		l.base = given.Region.Addr + uint64(i*bytes)
	}
	c.slots = &given
	c.sim.world.Note("%s has slots with key %#x", c, given.Region.RKey)
}

// act is a step of an honest client.
func (c *simClient) act() {
	c.listen()
	w := c.sim.world
	switch {
	case c.conn.over() && c.slots != nil:
		w.Failf("the session of %s was ended: the server says %q", c, c.told)
	case c.conn.over() || c.told != "":
		if !c.pardonable() {
			w.Failf("%s was refused: %q", c, c.told)
		}
		c.told = ""
		c.conn.hangUp()
		c.connect()
	case !c.greeted:
		if read, waiting := c.conn.heard(); !read && !waiting {
			c.say(kindHello, hello{})
		}
	case !c.asked:
		c.asked = true
		c.say(kindJoin, c.join())
	case c.slots == nil:
	default:
		c.load()
	}
}

// pardonable refusals are those that the simulation has brought about.
func (c *simClient) pardonable() bool {
	for _, part := range []string{
		"AllocPD", "AllocMR", "CreateQP", "CreateAH", "Connect", "connections of this server", "file descriptor left",
		"clients have slots",
	} {
		if strings.Contains(c.told, part) {
			return true
		}
	}
	return c.told == "" && c.slots == nil && c.sim.steps > c.begun // hung up without a word: the word found no room
}

// load is one step of a client with slots: perhaps a new request, and repeated ones.
func (c *simClient) load() {
	w := c.sim.world
	if c.questing == 0 && w.OneIn(50) {
		c.questing = c.sim.steps
		c.say(kindAsk, struct{}{})
	}
	if c.questing != 0 && c.sim.steps-c.questing > answerSteps {
		w.Failf("%s asked for counters at step %d and has none", c, c.questing)
	}
	for range w.IntN(3) {
		c.request()
	}
	for _, l := range c.links {
		for n := l.oldest; n != l.next; n++ {
			r := l.flight[n&sequenceMask]
			if r == nil {
				continue
			}
			if age := c.sim.steps - r.begun; age > answerSteps {
				w.Failf("%s has waited %d steps for its %s with sequence %d at worker %d", c, age, r.op, n, l.worker)
			}
			if c.sim.steps-r.sent > 8 {
				at := (*control)(ptr(r.slot[len(r.slot)-wordBytes:]))
				*at = at.again()
				l.send(n, r)
			}
		}
	}
}

func (c *simClient) request() {
	w := c.sim.world
	k := &c.keys[w.IntN(len(c.keys))]
	l := c.links[partition.PartitionOf(k.hash, len(c.links))]
	if k.busy || l.next-l.oldest == l.slots {
		return
	}
	r := &simRequest{op: kvs.Get + kvs.Op(w.IntN(4)), key: k, begun: c.sim.steps}
	if r.op == kvs.Set || r.op == kvs.Add {
		r.value = w.Bytes(w.IntN(c.sim.server.maxValue + 1))
		if requestBytes(len(k.key), len(r.value), c.sim.whole()) > c.sim.server.cfg.SlotBytes {
			r.value = r.value[:8]
		}
	}
	slot := make([]byte, c.sim.server.cfg.SlotBytes)
	n := putRequest(slot, l.next, &kvs.Request{Op: r.op, Key: k.key, Hash: k.hash}, r.value, c.sim.whole())
	r.slot = slot[len(slot)-n:]
	k.busy = true
	l.flight[l.next&sequenceMask] = r
	l.send(l.next, r)
	l.next++
}

// send writes a request into its slot, unless it is lost.
func (l *simLink) send(sequence uint32, r *simRequest) {
	r.sent = l.client.sim.steps
	if l.client.sim.world.OneIn(l.client.sim.device.loseOneIn) {
		return
	}
	l.write(sequence, r.slot)
}

// write writes to the end of a slot. The pieces take effect later, as far as the server's NIC takes
// them.
func (l *simLink) write(sequence uint32, b []byte) {
	slotBytes := uint64(l.client.sim.server.cfg.SlotBytes)
	end := l.base + uint64(sequence&(l.slots-1)+1)*slotBytes
	given := l.client.slots
	m := l.way.Add(verbs.SendWR{
		Op: verbs.OpWrite, QPN: given.Links[l.worker].UC.QPN, RKey: given.Region.RKey,
		Remote: end - uint64(len(b)), Local: verbs.SGE{Length: uint32(len(b))},
	})
	l.held[m] = bytes.Clone(b)
	if l.client.sim.model.Model == nasty.Ordered {
		l.place()
	} else if !slices.Contains(l.client.sim.busy, l) {
		l.client.sim.busy = append(l.client.sim.busy, l)
	}
}

// place gives a piece of a WRITE effect.
func (l *simLink) place() {
	m, i := l.way.Draw()
	p := m.Pieces[i]
	l.client.sim.device.write(m.WR.QPN, m.WR.RKey, m.WR.Remote+uint64(p.At), l.held[m][p.At:][:p.Bytes])
	for _, whole := range l.way.Remove(m, i) {
		delete(l.held, whole)
	}
}

// place gives some pieces of the WRITEs on their way effect.
func (s *sim) place() {
	s.busy = slices.DeleteFunc(s.busy, func(l *simLink) bool {
		for l.way.Oldest() != nil && !s.world.OneIn(3) {
			l.place()
		}
		return l.way.Oldest() == nil
	})
}

// whole is the longest request without a check word.
func (s *sim) whole() int { return wholeBytes(s.device.promised, s.server.cfg.SlotBytes) }

// answered takes an answer to an honest client's request, and checks it.
func (l *simLink) answered(word answer, value []byte) {
	r := l.flight[word.sequence()]
	if r == nil {
		return // it had one already
	}
	delete(l.flight, word.sequence())
	for l.oldest != l.next && l.flight[l.oldest&sequenceMask] == nil {
		l.oldest++
	}
	r.key.busy = false
	if wrong := r.check(word.status(), value); wrong != "" {
		l.client.sim.world.Failf("%s: a wrong answer to %s %s, sequence %d at worker %d: %s %x: %s", l.client, r.op,
			r.key.key,
			word.sequence(), l.worker, word.status(), value, wrong)
	}
	l.client.sim.answers++
}

// check compares an answer with the model, and updates the model.
func (r *simRequest) check(status kvs.Status, value []byte) string {
	k := r.key
	want := kvs.OK
	switch {
	case r.op == kvs.Add && k.stored:
		want = kvs.Exists
	case (r.op == kvs.Get || r.op == kvs.Delete) && !k.stored:
		want = kvs.NotFound
	case (r.op == kvs.Set || r.op == kvs.Add) && status == kvs.Full:
		return "" // allowed: hostile clients store, too
	}
	switch {
	case status != want:
		return "want " + want.String()
	case r.op == kvs.Get && want == kvs.OK && string(value) != string(k.value):
		return fmt.Sprintf("want %x", k.value)
	case r.op == kvs.Set || r.op == kvs.Add && want == kvs.OK:
		k.stored, k.value = true, r.value
	case r.op == kvs.Delete:
		k.stored = false
	}
	return ""
}
