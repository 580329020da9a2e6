package mqueue

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

func TestConfigIsChecked(t *testing.T) {
	for _, test := range []struct {
		cfg  Config
		want string
	}{
		{Config{Shape: Shape{0, 64}}, "slots of a lane: found 0"},
		{Config{Shape: Shape{3, 64}}, "slots of a lane: found 3"},
		{Config{Shape: Shape{-4, 64}}, "slots of a lane: found -4"},
		{Config{Shape: Shape{2 * MaxSlots, 64}}, "slots of a lane"},
		{Config{Shape: Shape{math.MinInt, 64}}, "slots of a lane"},
		{Config{Shape: Shape{4, 0}}, "bytes of a slot"},
		{Config{Shape: Shape{4, math.MaxInt}}, "bytes of a slot"},
		{Config{Shape: Shape{MaxSlots, MaxSlotBytes}}, "lower one of the two"},
		{Config{Shape: Shape{4, 64}, Answers: "pigeon"}, `answers of a lane: found "pigeon"`},
	} {
		a, b := channels(t)
		_, err := Offer(a, test.cfg)
		checkError(t, err, test.want)
		_ = b.Close()
	}
}

// harmful are control words for message 0 of a lane with 4 slots of 64 bytes.
var harmful = map[string]control{
	"too long":             makeControl(0, 65, 0),
	"longest":              makeControl(0, bytesMask, 0),
	"of the next message":  makeControl(1, 8, 0),
	"of a later lap":       makeControl(4, 8, 0),
	"of long ago":          makeControl(sequenceMask-9, 8, 0),
	"sequence 0, not zero": 1,
	"all ones":             math.MaxUint64,
}

// TestHarmfulControlWords checks that each of them ends the lane, whichever way it arrives.
func TestHarmfulControlWords(t *testing.T) {
	for name, word := range harmful {
		for _, way := range []Answers{Read, Written} {
			t.Run(fmt.Sprint(name, "/", way), func(t *testing.T) {
				x := newBare(t, way)
				x.poke(0, word)
				for range 8 {
					x.turn()
				}
				checkError(t, x.mover.err, "message 0 of a lane")
				checkError(t, x.owner.err, "message 0 of a lane")
			})
		}
	}
}

// bare are two ends over one device that never compared the order of bytes.
type bare struct {
	owner, mover *End
	shape        Shape
}

var bareShape = Shape{4, 64}

func newBare(t testing.TB, way Answers) *bare {
	t.Helper()
	return newBareOf(t, way, bareShape)
}

func newBareOf(t testing.TB, way Answers, shape Shape) *bare {
	t.Helper()
	return newBareOn(t, openSHM(t, 0), way, shape)
}

func newBareOn(t testing.TB, dev verbs.Device, way Answers, shape Shape) *bare {
	t.Helper()
	x := &bare{shape: shape}
	x.owner = &End{shape: shape, answers: way, owner: true, device: dev}
	x.mover = &End{shape: shape, answers: way, device: dev}
	for _, e := range []*End{x.owner, x.mover} {
		must.Do(t, e.create())
		t.Cleanup(func() { _ = e.destroy() })
	}
	for e, peer := range map[*End]*End{x.owner: x.mover, x.mover: x.owner} {
		must.Do(t, e.join(peer.qp.Local(), peer.mr.Region(), true))
	}
	return x
}

// restart forgets all messages.
func (x *bare) restart() {
	for _, e := range []*End{x.owner, x.mover} {
		clear(e.memory)
		_, _ = e.cq.Poll(e.wcs[:])
		w, f := &e.writer, &e.fetcher
		*w = writer{
			every: w.every, words: w.words, list: w.list, localAddr: w.localAddr, localKey: w.localKey,
		}
		*f = fetcher{words: f.words}
		e.sent, e.received, e.role, e.err = 0, 0, undecided, nil
	}
}

// poke stores a control word where either end looks for one.
func (x *bare) poke(slot uint64, word control) {
	l := &x.owner.layout
	publish(x.owner.memory, l.inEnd(slot), word)
	publish(x.mover.memory, l.inEnd(slot), word)
	publish(x.owner.memory, l.control(slot), word)
}

// turn lets both ends poll and receive. Bytes of a message must lie in the end's memory.
func (x *bare) turn() {
	for _, e := range []*End{x.owner, x.mover} {
		_, _ = e.Poll()
		if m, ok := e.Receive(); ok && len(m.Bytes) > x.shape.SlotBytes {
			panic(fmt.Sprint("a message of ", len(m.Bytes), " bytes"))
		}
	}
}

// FuzzControlWords runs two ends while their control words are overwritten. An end may fail. It may
// not fault, and it never has more requests without an answer than slots.
func FuzzControlWords(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 0, 1, 2, 3})
	f.Add([]byte("\x04\x00\x01\x00\x00\x00\x00\x00\x08\x00\x00\x00\x01\x02\x03"))
	for _, word := range harmful {
		f.Add(binary.LittleEndian.AppendUint64([]byte{4, 0}, uint64(word)))
	}
	lanes := []*bare{newBare(f, Read), newBare(f, Written)}
	f.Fuzz(func(t *testing.T, program []byte) {
		for _, x := range lanes {
			x.restart()
			x.run(t, program)
		}
	})
}

func (x *bare) run(t *testing.T, program []byte) {
	for len(program) > 0 {
		op := program[0]
		program = program[1:]
		switch op % 5 {
		case 0, 1:
			e := []*End{x.owner, x.mover}[op%5]
			if room := e.Slot(); room != nil {
				if err := e.Send(int(op)%(len(room)+1), uint16(op)); err != nil && e.err == nil {
					t.Fatal(err)
				}
			}
		case 2, 3:
			x.turn()
		case 4:
			var b [9]byte
			program = program[copy(b[:], program):]
			x.poke(uint64(b[0]), control(binary.LittleEndian.Uint64(b[1:])))
		}
		for _, e := range []*End{x.owner, x.mover} {
			if flight := e.sent - e.received; e.role == requester && flight > uint64(x.shape.Slots) {
				t.Fatalf("%d requests without an answer", flight)
			}
		}
	}
}

// harmfulOffers change a good offer.
var harmfulOffers = map[string]func(*offer){
	"version 2":          func(o *offer) { o.Version = 2 },
	"slots of a lane":    func(o *offer) { o.Shape.Slots = 1 << 40 },
	"bytes of a slot":    func(o *offer) { o.Shape.SlotBytes = -1 },
	"answers of a lane":  func(o *offer) { o.Answers = "x\x1b[31m" },
	"region of the peer": func(o *offer) { o.Region.Length-- },
	"at a multiple of 8": func(o *offer) { o.Region.Addr = math.MaxUint64 - 7 },
	"at 0x":              func(o *offer) { o.Region.Addr++ },
	"transport service":  func(o *offer) { o.Endpoint.Type = verbs.UC },
}

// TestHarmfulOffers checks that the mover refuses them, and tells the owner why.
func TestHarmfulOffers(t *testing.T) {
	x := newBare(t, Read)
	for want, change := range harmfulOffers {
		t.Run(want, func(t *testing.T) {
			o := offer{
				Version: layoutVersion, Shape: bareShape, Answers: Read,
				Endpoint: x.owner.qp.Local(), Region: x.owner.mr.Region(),
			}
			o.Region.Length = x.owner.layout.size
			change(&o)
			a, b := channels(t)
			defer a.Close()
			refused := make(chan error, 1)
			go func() {
				_, err := Accept(b, openSHM(t, 1), Anything)
				refused <- err
			}()
			var told acceptance
			must.Do(t, a.Send(o))
			must.Do(t, a.Receive(&told))
			checkError(t, <-refused, want)
			if !strings.Contains(told.Refused, want) {
				t.Errorf("the owner learns %q", told.Refused)
			}
		})
	}
}

// FuzzConnect sends any line to either end in place of its peer's description.
func FuzzConnect(f *testing.F) {
	good := must.Get(json.Marshal(offer{Version: layoutVersion, Shape: bareShape, Answers: Read}))(f)
	f.Add(good)
	f.Add([]byte(`{"version":1,"shape":{"slots":4096,"slot_bytes":64},"answers":"write","region":{"length":1073741824}}`))
	f.Add([]byte(`{"endpoint":{"type":3,"handle":"shm:1:0:00"},"region":{"addr":18446744073709551615}}`))
	f.Add([]byte(`{"refused":"no"}`))
	dev := openSHM(f, 0)
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, connect := range []func(*sidechannel.Channel) (*End, error){
			func(ch *sidechannel.Channel) (*End, error) {
				return Offer(ch, Config{Shape: bareShape, Device: dev, Timeout: time.Second})
			},
			func(ch *sidechannel.Channel) (*End, error) { return Accept(ch, dev, Anything) },
		} {
			here, there := rawChannel(t)
			_, _ = there.Write(append(line, '\n'))
			_ = there.CloseWrite()
			if e, err := connect(here); err == nil {
				t.Errorf("connected: %+v", e.Facts())
			}
			_ = there.Close()
		}
	})
}

func rawChannel(t *testing.T) (*sidechannel.Channel, *net.TCPConn) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	there := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	here := must.Get(l.Accept())(t)
	return sidechannel.New(here), there.(*net.TCPConn)
}
