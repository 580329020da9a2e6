package herd

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// fuzzServer is a server of two workers. The test runs its steps, on a device without failures.
func fuzzServer(t testing.TB) (*Server, *simDevice) {
	t.Helper()
	device := newSimDevice(&simulation.World{Rand: rand.New(rand.NewPCG(1, 2))})
	device.deliver = func(uint32, answer, []byte) {}
	return manualServer(t, device, 2, MinSlotBytes), device
}

// manualServer makes a server whose workers the test steps.
func manualServer(t testing.TB, device *simDevice, workers, slotBytes int) *Server {
	t.Helper()
	server, err := Start(Config{
		Listen: "sim:1", Device: "sim", Workers: workers, Mode: partition.Store, Items: 1 << 10, LogBytes: 4 << 20,
		Hash: DefaultHash, Window: simSlots, MaxClients: 2, MaxConnections: 4, SlotBytes: slotBytes, manual: true,
		unthrottled: true,
		open:        func(string, *provider.Options) (verbs.Device, error) { return device, nil },
		listen:      func(string) (net.Listener, error) { return &simListener{}, nil },
		spare:       func() (io.Closer, error) { return io.NopCloser(nil), nil },
	})
	must.Do(t, err)
	return server
}

// fuzzInbox makes slots at the first worker for a client without a side channel.
func fuzzInbox(t testing.TB, s *Server) (*inbox, []byte) {
	t.Helper()
	c := &client{server: s, conn: newSimConn(nil, &simFiles{}), number: 1, pd: s.pd}
	bytes := simMemory(simSlots * s.cfg.SlotBytes)
	w := s.workers[0]
	in := must.Get(w.newInbox(c, bytes, endpoint{UD: verbs.Endpoint{QPN: 9}}))(t)
	w.inboxes = append(w.inboxes, in)
	return in, bytes
}

// zeroShape is the control word of the first request, with operation and lengths 0.
const zeroShape = uint64(simSlots) << sequenceShift

// FuzzSlots makes a worker read arbitrary slots of a client: a row of pieces, each a slot's number
// and its bytes. The worker must still serve another client.
func FuzzSlots(f *testing.F) {
	piece := func(slot byte, word uint64, request []byte) []byte {
		b := make([]byte, 1+64)
		b[0] = slot
		copy(b[1:], request)
		if word != 0 {
			binary.LittleEndian.PutUint64(b[1+64-wordBytes:], word)
		}
		return b
	}
	valid := func(n uint32, op kvs.Op, value []byte) []byte {
		b := make([]byte, 64)
		putRequest(b, n, &kvs.Request{Op: op, Key: []byte("a key")}, value, lineBytes)
		return b
	}
	f.Add(piece(0, zeroShape, nil))
	f.Add(piece(0, 0, valid(4, kvs.Set, []byte("value"))))
	f.Add(append(piece(1, 0, valid(5, kvs.Get, nil)), piece(0, 0, valid(4, kvs.Add, nil))...))
	f.Add(append(piece(0, 0, valid(4, kvs.Get, nil)), piece(0, zeroShape|1<<attemptShift, nil)...))
	var once sync.Once
	var server *Server
	var device *simDevice
	f.Fuzz(func(t *testing.T, pieces []byte) {
		once.Do(func() { server, device = fuzzServer(t) })
		w := server.workers[0]
		w.inboxes = nil
		_, slots := fuzzInbox(t, server)
		_, others := fuzzInbox(t, server)
		answered := 0
		device.deliver = func(_ uint32, word answer, _ []byte) {
			if word == makeAnswer(simSlots+1, kvs.NotFound) {
				answered++ // or the hostile one's was
			}
		}
		step := func() { must.Get(w.step())(t) }
		for n := 0; len(pieces) > 1 && n < 64; n++ {
			at := int(pieces[0]) % simSlots * 64
			m := copy(slots[at:at+64], pieces[1:])
			pieces = pieces[1+m:]
			step()
		}
		for i, op := range []kvs.Op{kvs.Delete, kvs.Get} {
			n := uint32(simSlots + i)
			putRequest(others[i*64:(i+1)*64], n, &kvs.Request{Op: op, Key: []byte("mine")}, nil, lineBytes)
		}
		for range 2 * scanEvery {
			step()
		}
		if answered == 0 || w.inboxes[1].ending {
			t.Error("another client is not served")
		}
	})
}

// FuzzSideChannel makes a server read arbitrary bytes from a client, until it hangs up.
func FuzzSideChannel(f *testing.F) {
	greeting := frameOf(kindHello, "{}")
	f.Add([]byte("GET / HTTP/1.0\r\n\r\n"))
	f.Add(greeting[:7])
	f.Add(slices.Concat(greeting, frameOf(kindAsk, "{}"), frameOf(kindAsk, "{}")))
	s := &sim{world: &simulation.World{Rand: rand.New(rand.NewPCG(1, 2))}, byQPN: map[uint32]*simLink{}}
	s.server, s.listener = &Server{workers: make([]*worker, 2)}, &simListener{}
	s.device = &simDevice{world: s.world}
	text := must.Get(json.Marshal((&simClient{sim: s, number: 1}).join()))(f)
	joined := slices.Concat(greeting, frameOf(kindJoin, string(text)))
	f.Add(joined)
	f.Add(append(joined, frameOf(kindAsk, "{}")...))
	huge := append([]byte(nil), greeting...)
	binary.LittleEndian.PutUint32(huge[8:], maxBodyBytes)
	f.Add(huge)
	var once sync.Once
	var server *Server
	var device *simDevice
	f.Fuzz(func(t *testing.T, stream []byte) {
		once.Do(func() {
			server, device = fuzzServer(t)
			for _, w := range server.workers {
				go w.serveJobs()
			}
		})
		scriptedChannel(t, server, device, stream)
	})
	if server != nil {
		for _, w := range server.workers {
			close(w.stopping)
		}
	}
}

// scriptedChannel is one complete connection: all of its bytes have arrived.
func scriptedChannel(t *testing.T, server *Server, device *simDevice, stream []byte) {
	files := &simFiles{open: 1}
	conn := newSimConn(nil, files)
	conn.give(stream)
	conn.hangUp()
	conn.unread = -1 << 30 // all that is written is taken
	left := false
	(&client{server: server, conn: conn, left: func() { left = true }}).serve()
	switch {
	case !left || files.open != 0:
		t.Error("the connection is not over")
	case conn.greedy > 0:
		t.Errorf("the server makes room for %d bytes more than twice of the %d that have come", conn.greedy, conn.got)
	case server.slotHolders != 0 || device.slotBytes() != 0 || device.domains != 1:
		t.Errorf("%d seats, %d bytes of slots, %d domains are left", server.slotHolders, device.slotBytes(),
			device.domains)
	}
	select {
	case <-server.Ended():
		t.Errorf("the server has ended: %v", server.Wait())
	default:
	}
}
