package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// The kinds of frames of HERD's side channel: see dpukv/kvs/herd.
const (
	herdHello = 1 + iota
	herdWelcome
	herdJoin
	herdGrant
	herdAsk
)

var herdAttacks = []attack{
	{"connect and say nothing", func(c net.Conn, s *attackRun) error { return s.hold(c) }},
	{"4 MiB begun before the hello", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(herdHeader(herdHello, 4<<20))
		return trickle(c, s, err)
	}},
	{"4 MiB begun after the hello", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(append(herdFrame(herdHello, struct{}{}), herdHeader(herdJoin, 4<<20)...))
		return trickle(c, s, err)
	}},
	{"asks, answers not read", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(herdFrame(herdHello, struct{}{}))
		for err == nil && s.rest(time.Millisecond) {
			_, err = c.Write(bytes.Repeat(herdFrame(herdAsk, struct{}{}), 100))
		}
		return err
	}},
	{"a join with nonsense", func(c net.Conn, s *attackRun) error {
		_, err := c.Write(append(herdFrame(herdHello, struct{}{}),
			herdFrame(herdJoin, map[string]any{"slots": 64, "links": []any{map[string]any{}}})...))
		if err != nil {
			return err
		}
		return s.hold(c)
	}},
	{"slots of random bytes", func(c net.Conn, s *attackRun) error {
		return hostileSlots(c, s, randomSlot)
	}},
	{"slots with eight bytes of zero", func(c net.Conn, s *attackRun) error {
		return hostileSlots(c, s, func(slot []byte, sequence uint32) {
			binary.LittleEndian.PutUint64(slot[len(slot)-8:], uint64(sequence)<<35)
		})
	}},
}

func randomSlot(slot []byte, sequence uint32) {
	copy(slot, randomBytes(len(slot)))
	binary.LittleEndian.PutUint64(slot[len(slot)-8:],
		uint64(sequence)<<35|uint64(rand.Uint32())<<3>>3)
}

func herdHeader(kind byte, bytes int) []byte {
	h := make([]byte, 16)
	copy(h, "dpukv\x00H1")
	binary.LittleEndian.PutUint32(h[8:], uint32(bytes))
	h[12], h[13] = 1, kind
	return h
}

func herdFrame(kind byte, body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // only of values written here
	}
	return append(herdHeader(kind, len(text)), text...)
}

func readHERD(c net.Conn, want byte, v any) error {
	h := make([]byte, 16)
	if _, err := io.ReadFull(c, h); err != nil {
		return err
	}
	body := make([]byte, binary.LittleEndian.Uint32(h[8:]))
	if _, err := io.ReadFull(c, body); err != nil {
		return err
	}
	if h[13] != want {
		return fmt.Errorf("the server says: %s", body)
	}
	return json.Unmarshal(body, v)
}

// ends are a link's queue pairs, in the layout of joins and seats.
type ends struct {
	UC verbs.Endpoint `json:"uc"`
	UD verbs.Endpoint `json:"ud"`
}

// device is the device that all hostile clients share. One client at a time does its work.
var device = sync.OnceValues(func() (verbs.Device, error) {
	return provider.Open("softroce:"+hostileDevice, provider.Defaults)
})

var deviceInUse sync.Mutex

// hostileSlots joins, and writes what no client should into its slots.
func hostileSlots(c net.Conn, s *attackRun, fill func(slot []byte, sequence uint32)) error {
	const slots, slotBytes = 64, 64
	d, err := device()
	if err != nil {
		return err
	}
	j, mr, err := join(c, d, slots)
	if err != nil {
		return err
	}
	defer j.close()
	shownOut := make(chan struct{})
	go func() {
		defer close(shownOut)
		_ = s.hold(c) // its end is all that matters
	}()
	for round := uint32(1); s.rest(time.Millisecond); round++ {
		deviceInUse.Lock()
		i := rand.Uint32N(slots)
		fill(mr.Bytes()[:slotBytes], round*slots+i)
		_, err := j.qp.PostSend([]verbs.SendWR{{
			Op: verbs.OpWrite, Flags: verbs.Signaled,
			Local:  verbs.SGE{Addr: mr.Addr(), Length: slotBytes, LKey: mr.LKey()},
			Remote: j.region.Addr + uint64(i*slotBytes), RKey: j.region.RKey,
		}})
		if err == nil {
			_, err = d.Progress()
		}
		if err == nil {
			_, err = j.cq.Poll(make([]verbs.WC, 16))
		}
		deviceInUse.Unlock()
		if err != nil {
			return err
		}
		select {
		case <-shownOut:
			return nil
		default:
		}
	}
	return net.ErrClosed
}

// joined holds what a client with slots needs to write into them.
type joined struct {
	qp     verbs.QP
	cq     verbs.CQ
	region verbs.Region
	frees  []io.Closer // in this order
}

func (j *joined) close() {
	deviceInUse.Lock()
	defer deviceInUse.Unlock()
	for _, f := range j.frees {
		_ = f.Close() // the process ends soon
	}
}

func join(c net.Conn, d verbs.Device, slots int) (j joined, mr verbs.MR, err error) {
	deviceInUse.Lock()
	defer deviceInUse.Unlock()
	pd, err := d.AllocPD()
	if err != nil {
		return j, nil, err
	}
	if mr, err = pd.AllocMR(4096, verbs.LocalWrite); err != nil {
		return j, nil, err
	}
	if j.cq, err = d.CreateCQ(256); err != nil {
		return j, nil, err
	}
	j.qp, err = pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: j.cq, RecvCQ: j.cq, MaxSend: 64,
		FlowLabel: 1,
	})
	if err != nil {
		return j, nil, err
	}
	ud, err := pd.CreateQP(verbs.QPConfig{
		Type: verbs.UD, SendCQ: j.cq, RecvCQ: j.cq, MaxSend: 1,
		MaxRecv: 64, QKey: 1,
	})
	if err != nil {
		return j, nil, err
	}
	request := map[string]any{"slots": slots, "links": []ends{{j.qp.Local(), ud.Local()}}}
	if _, err = c.Write(append(herdFrame(herdHello, struct{}{}),
		herdFrame(herdJoin, request)...)); err != nil {
		return j, nil, err
	}
	var grant struct {
		Region verbs.Region `json:"region"`
		Links  []ends       `json:"links"`
	}
	if err = readHERD(c, herdWelcome, &struct{}{}); err == nil {
		err = readHERD(c, herdGrant, &grant)
	}
	if err == nil && len(grant.Links) != 1 {
		err = errors.New("slots of one worker were asked for")
	}
	if err != nil {
		return j, nil, err
	}
	j.region = grant.Region
	j.frees = []io.Closer{j.qp, ud, j.cq, mr, pd}
	return j, mr, j.qp.Connect(grant.Links[0].UC)
}
