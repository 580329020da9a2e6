package herd

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpukv/kvs"
)

// bubbled is a server in a bubble whose workers only run jobs.
func bubbled(t *testing.T, run func(s *Server, connect func(frames ...[]byte) *simConn)) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := fuzzServer(t)
		server.cfg.unthrottled = false
		for _, w := range server.workers {
			go func() { w.serveJobs(); close(w.ended) }()
		}
		files := &simFiles{limit: 1 << 10}
		var conns []*simConn
		run(server, func(frames ...[]byte) *simConn {
			c := newSimConn(nil, files)
			conns = append(conns, c)
			files.acquire()
			c.give(slices.Concat(frames...))
			server.receive(c, func() {})
			synctest.Wait()
			return c
		})
		for _, c := range conns {
			c.hangUp()
		}
		time.Sleep(writeTimeout)
		synctest.Wait()
		if files.open != 0 {
			t.Errorf("%d connections are open in the end", files.open)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}

// told is the last word that a connection has from the server.
func told(c *simConn) string {
	last := ""
	for {
		k, body, ok := c.frame()
		if !ok {
			return last
		}
		if k == kindFailure {
			last = string(body)
		}
	}
}

// TestTimes checks the time limits of a side channel, from its first byte to its last.
func TestTimes(t *testing.T) {
	greeting, question := frameOf(kindHello, "{}"), frameOf(kindAsk, "{}")
	bubbled(t, func(_ *Server, connect func(...[]byte) *simConn) {
		mute, half, begun, fine := connect(), connect(greeting[:9]), connect(greeting, question[:1]), connect(greeting)
		deaf := connect(greeting)
		for range 3 * simBuffer {
			deaf.give(question)
		}
		time.Sleep(min(helloTimeout, frameTimeout) - time.Second)
		for _, c := range []*simConn{mute, half, begun, fine, deaf} {
			if c.over() {
				t.Error("ended too soon")
			}
		}
		time.Sleep(writeTimeout + 5*time.Second)
		synctest.Wait()
		for c, want := range map[*simConn]string{
			mute: "no frame came within", half: "not complete within",
			begun: "not complete within",
		} {
			if got := told(c); !c.over() || !strings.Contains(got, want) {
				t.Errorf("over: %v, told %q, want %q", c.over(), got, want)
			}
		}
		if !deaf.over() || fine.over() {
			t.Errorf("who does not read is over: %v; who is quiet: %v", deaf.over(), fine.over())
		}
	})
}

// TestIdleGiveWay checks that idle connections without slots end when places get few, and no
// others.
func TestIdleGiveWay(t *testing.T) {
	greeting, question := frameOf(kindHello, "{}"), frameOf(kindAsk, "{}")
	bubbled(t, func(s *Server, connect func(...[]byte) *simConn) {
		s.cfg.MaxConnections = 4
		idle, asks := connect(greeting), connect(greeting)
		time.Sleep(idleTimeout + time.Second)
		if idle.over() {
			t.Error("ended while there was room")
		}
		asks.give(question)
		synctest.Wait()
		connect(greeting)
		if idle.over() {
			t.Error("ended while there was room")
		}
		connect(greeting)
		synctest.Wait()
		if got := told(idle); !idle.over() || !strings.Contains(got, "another client needs it") {
			t.Errorf("over: %v, told %q", idle.over(), got)
		}
		if asks.over() {
			t.Error("ended, and has asked just now")
		}
	})
}

// TestIdleGiveWayAtTheDoor checks the same when all places are taken, so that no new client could
// be served.
func TestIdleGiveWayAtTheDoor(t *testing.T) {
	bubbled(t, func(s *Server, connect func(...[]byte) *simConn) {
		s.cfg.MaxConnections = 1
		idle := connect(frameOf(kindHello, "{}"))
		time.Sleep(idleTimeout + time.Second)
		s.makeRoom() // as the door does, see openDoor
		synctest.Wait()
		if !idle.over() {
			t.Error("keeps the only place")
		}
	})
}

// TestQuestionsAreFew checks that the workers are asked only at intervals, however many clients ask
// how often. An answer is never older than its question.
func TestQuestionsAreFew(t *testing.T) {
	greeting, question := frameOf(kindHello, "{}"), frameOf(kindAsk, "{}")
	bubbled(t, func(s *Server, connect func(...[]byte) *simConn) {
		var all []*simConn
		for range 4 {
			all = append(all, connect(greeting))
		}
		answers, begins := 0, map[time.Time]bool{}
		for range 1000 { // a second
			for _, c := range all {
				c.give(question)
			}
			time.Sleep(time.Millisecond)
			synctest.Wait()
			select {
			case s.statsReader.turn <- struct{}{}:
				begins[s.statsReader.began] = true
				<-s.statsReader.turn
			default: // somebody looks
			}
			for _, c := range all {
				for k, _, ok := c.frame(); ok; k, _, ok = c.frame() {
					if k == kindStats {
						answers++
					}
				}
			}
		}
		if most := int(time.Second/statsInterval) + 2; len(begins) > most {
			t.Errorf("%d looks in a second, want at most %d", len(begins), most)
		}
		if most := 4 * (int(time.Second/askInterval) + 1); answers > most || answers < most/2 {
			t.Errorf("%d answers in a second, want at most %d", answers, most)
		}
	})
}

// TestStatsConnectAgain checks that a remote whose connection gave way to others asks on a new one.
func TestStatsConnectAgain(t *testing.T) {
	server := startServer(t, testConfig())
	r := dial(t, server)
	for range 2 {
		server.mu.Lock()
		for c := range server.clients {
			c.end(errors.New("another client needs it"))
		}
		server.mu.Unlock()
		if _, err := r.Stats(); err != nil {
			t.Error(err)
		}
	}
	do(t, openTest(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}),
		[]kvs.Request{{Op: kvs.Set, Key: key(1)}})
}
