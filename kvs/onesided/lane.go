package onesided

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"unsafe"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// maxRetries is the number of READs again before the server is asked.
const maxRetries = 3

// lane is one connection: a queue pair whose READs bring neighbourhoods and values. GETs are
// numbered, and number n has entry n mod entries. Those from oldest on have no answer yet, except
// for some. Those from posted on wait in the list.
//
//	oldest           posted       next
//	  | in flight …    | list …     | free
type lane struct {
	grant
	number   uint32
	workers  int
	device   verbs.Device
	seals    seals
	qp       verbs.QP
	buffers  verbs.MR
	bytes    []byte
	valuesAt int // in an entry's buffer: behind the neighbourhood
	stride   int // of an entry's buffer

	entries              []entry // a power of two
	mask                 uint32
	oldest, posted, next uint32
	batch, limit         uint32
	pending              int // GETs without an answer, and not asked of the server

	read   verbs.SendWR // template
	wrs    []verbs.SendWR
	flight []uint32 // entries whose READs are on their way, in order; as many as entries
	sent   uint32   // READs posted
	come   uint32   // READs whose completion was seen
	again  []uint32 // entries that need another READ
	asks   []uint32 // entries that the server must answer

	traffic *kvs.ReadTraffic
	samples uint32
}

// entry is a GET until its answer.
type entry struct {
	key      shortKey
	hash     uint64
	cookie   uint64
	intended int64
	sentNs   int64
	block    block
	home     uint64 // address of the neighbourhood, or of the values if far
	verdict  verdict
	far      bool // the READ on its way brings the value
	tries    uint8
	answered bool
	text     [KeyBytes]byte
}

func newLane(
	d verbs.Device, pd verbs.PD, cq verbs.CQ, o kvs.SessionOptions, workers int, number uint32,
) (l *lane, err error) {
	limit := o.Batch * o.Window * workers
	n := 1 << bits.Len(uint(limit+o.Batch-1))
	l = &lane{
		device: d, workers: workers, number: number, entries: make([]entry, n), mask: uint32(n - 1),
		batch: uint32(o.Batch), limit: uint32(limit), flight: make([]uint32, n),
		wrs: make([]verbs.SendWR, 0, n), again: make([]uint32, 0, n), asks: make([]uint32, 0, n),
	}
	l.qp, err = pd.CreateQP(verbs.QPConfig{
		Type: verbs.RC, SendCQ: cq, RecvCQ: cq, MaxSend: n, MaxRecv: 1,
	})
	return l, err
}

// connect prepares for reading what the server grants in an answer.
func (l *lane) connect(pd verbs.PD, answer []byte) (err error) {
	g := &l.grant
	if err := json.Unmarshal(answer, g); err != nil {
		return fmt.Errorf("the server's grant is invalid: %w", err)
	}
	if err := g.check(l.workers); err != nil {
		return err
	}
	l.seals = newSeals(g.Seed)
	l.seals.without = g.Unchecked
	l.valuesAt = g.Shape.Neighbourhood * itemBytes
	l.stride = l.valuesAt
	if g.Shape.ValueBytes > 0 {
		l.stride += (g.Shape.MaxValue + lineBytes - 1) &^ (lineBytes - 1)
	}
	if l.buffers, err = pd.AllocMR(len(l.entries)*l.stride, verbs.LocalWrite); err != nil {
		return err
	}
	l.bytes = l.buffers.Bytes()
	l.read = verbs.SendWR{
		Op: verbs.OpRead, RKey: g.Region.RKey, Local: verbs.SGE{LKey: l.buffers.LKey()},
	}
	if err := verbs.Check(l.qp.Local(), g.QP); err != nil {
		return err
	}
	return l.qp.Connect(g.QP)
}

func (l *lane) close() error { return verbs.Close(l.qp, l.buffers) }

// room reports whether the list has room for another GET.
func (l *lane) room() bool { return l.next-l.posted < l.batch }

// open reports whether the window has room for the list.
func (l *lane) open() bool { return l.next-l.oldest <= l.limit }

// stage puts a GET into the list, which has room.
func (l *lane) stage(r *kvs.Request) {
	e := &l.entries[l.next&l.mask]
	e.key, e.hash = shorten(r.Key), r.Hash
	copy(e.text[:], r.Key)
	e.cookie, e.intended = r.Cookie, r.IntendedNs
	e.tries, e.answered, e.far = 0, false, false
	s := &l.Shape
	worker := partition.PartitionOf(r.Hash, l.workers)
	e.home = l.Region.Addr + uint64(worker*s.stride()) + uint64(s.home(r.Hash)*itemBytes)
	l.next++
	l.pending++
}

// postOpen sends the list if the window allows it. It returns the number of its GETs.
func (l *lane) postOpen() (n int, err error) {
	if l.posted == l.next || !l.open() {
		return 0, nil
	}
	now := kvs.NowNs()
	n = int(l.next - l.posted)
	for ; l.posted != l.next; l.posted++ {
		i := l.posted & l.mask
		l.entries[i].sentNs = now
		l.add(i)
	}
	return n, l.send()
}

// add adds an entry's READ to those to send.
func (l *lane) add(i uint32) {
	e := &l.entries[i]
	n := len(l.wrs)
	l.wrs = l.wrs[:n+1]
	wr := &l.wrs[n]
	*wr = l.read
	at, bytes := int(i)*l.stride, l.valuesAt
	wr.Remote = e.home
	if e.far {
		worker := partition.PartitionOf(e.hash, l.workers)
		values := worker*l.Shape.stride() + l.Shape.places()*itemBytes
		wr.Remote = l.Region.Addr + uint64(values) + e.block.offset
		at, bytes = at+l.valuesAt, padded(e.block.bytes)
	}
	wr.Local.Addr, wr.Local.Length = l.buffers.Addr()+uint64(at), uint32(bytes)
	l.traffic.Reads++
	l.traffic.Bytes += uint64(bytes)
	l.flight[l.sent&l.mask] = i
	l.sent++
}

// send posts the READs that were added. The last one's completion tells of all.
func (l *lane) send() error {
	if len(l.wrs) == 0 {
		return nil
	}
	last := &l.wrs[len(l.wrs)-1]
	last.ID, last.Flags = uint64(l.number)<<32|uint64(l.sent), verbs.Signaled
	_, err := l.qp.PostSend(l.wrs)
	l.wrs = l.wrs[:0]
	if err != nil {
		return fmt.Errorf("post READs: %w", err)
	}
	return nil
}

// arrived takes what READs have brought, up to a number that a completion has.
func (l *lane) arrived(upTo uint32, now int64, answers []kvs.Answer) ([]kvs.Answer, error) {
	if n := upTo - l.come; n == 0 || n > l.sent-l.come {
		return answers, fmt.Errorf("READs: found the completion of number %d, allowed: %d to %d",
			upTo, l.come+1, l.sent)
	}
	const sampleOneIn = 16
	if l.samples++; l.samples%sampleOneIn == 0 {
		begin := kvs.NowNs()
		l.judge(upTo)
		l.traffic.CheckedNs += uint64(max(kvs.NowNs()-begin-clockNs, 0))
		l.traffic.CheckedGets += uint64(upTo - l.come)
	} else {
		l.judge(upTo)
	}
	for ; l.come != upTo; l.come++ {
		answers = l.act(l.flight[l.come&l.mask], now, answers)
	}
	l.advance()
	for _, i := range l.again {
		l.add(i)
	}
	l.again = l.again[:0]
	return answers, l.send()
}

// judge checks what READs have brought.
func (l *lane) judge(upTo uint32) {
	for n := l.come; n != upTo; n++ {
		i := l.flight[n&l.mask]
		e := &l.entries[i]
		memory := l.bytes[int(i)*l.stride:][:l.stride]
		if e.far {
			e.verdict = torn
			if l.seals.rightBlock(wordsOf(memory[l.valuesAt:], e.block.bytes), &e.block) {
				e.verdict = found
			}
			continue
		}
		var it *item
		e.verdict, it = look(itemsIn(memory, l.Shape.Neighbourhood), &e.key, &l.seals)
		switch e.verdict {
		case found:
			at := uintptr(unsafe.Pointer(&it[valueWord])) - uintptr(unsafe.Pointer(&memory[0]))
			e.block.offset, e.block.bytes = uint64(at), it.state().length()
		case far:
			if e.block = it.block(); !e.block.within(&l.Shape) {
				e.verdict = torn
			}
		}
	}
}

// act answers a GET, or has it read or asked again.
func (l *lane) act(i uint32, now int64, answers []kvs.Answer) []kvs.Answer {
	e := &l.entries[i]
	switch e.verdict {
	case found:
		at := int(e.block.offset)
		if e.far {
			at = l.valuesAt
		}
		at += int(i) * l.stride
		end := at + e.block.bytes
		answers = l.answer(e, kvs.OK, now, answers)
		answers[len(answers)-1].Value = l.bytes[at:end:end]
	case absent:
		answers = l.answer(e, kvs.NotFound, now, answers)
		answers[len(answers)-1].Value = nil
	case far:
		e.far = true
		l.again = append(l.again, i)
	case torn:
		e.far = false
		if e.tries < maxRetries {
			e.tries++
			l.traffic.Retries++
			l.again = append(l.again, i)
			break
		}
		l.asks = append(l.asks, i)
	case ask:
		l.asks = append(l.asks, i)
	}
	return answers
}

func (l *lane) answer(e *entry, s kvs.Status, now int64, answers []kvs.Answer) []kvs.Answer {
	if n := len(answers); n < cap(answers) {
		answers = answers[:n+1]
	} else {
		answers = append(answers, kvs.Answer{})
	}
	a := &answers[len(answers)-1]
	a.Op, a.Status, a.Cookie = kvs.Get, s, e.cookie
	a.IntendedNs, a.SentNs, a.ReceivedNs = e.intended, e.sentNs, now
	e.answered = true
	l.pending--
	l.traffic.Gets++
	return answers
}

// leave frees an entry whose GET the server is asked for.
func (l *lane) leave(i uint32) {
	l.entries[i].answered = true
	l.pending--
}

// advance frees the entries before the oldest GET without an answer.
func (l *lane) advance() {
	for l.oldest != l.posted && l.entries[l.oldest&l.mask].answered {
		l.oldest++
	}
}
