package mica

import (
	"bytes"
	"slices"
	"testing"

	"dpukv/kvs"

	"github.com/panjf2000/gnet/v2"
)

// TestArrivals checks that a frame has the time of the read that brought its last byte.
func TestArrivals(t *testing.T) {
	type read struct {
		bytes int
		ns    int64
	}
	many := []read{}
	for i := range 10 {
		many = append(many, read{10, int64(i)})
	}
	for name, c := range map[string]struct {
		reads []read
		takes []int
		want  []int64
	}{
		"one frame a read":          {[]read{{10, 5}}, []int{10}, []int64{5}},
		"two frames in a read":      {[]read{{20, 5}}, []int{10, 10}, []int64{5, 5}},
		"a frame in two reads":      {[]read{{4, 5}, {6, 9}}, []int{10}, []int64{9}},
		"the rest of another frame": {[]read{{14, 5}, {6, 9}}, []int{10, 10}, []int64{5, 9}},
		"more reads than marks": {
			many, slices.Repeat([]int{10}, 10),
			[]int64{0, 1, 2, 3, 4, 5, 6, 7, 7, 7},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var a arrivals
			for range 3 { // it starts anew
				for _, r := range c.reads {
					a.came(r.bytes, r.ns)
				}
				var got []int64
				for _, n := range c.takes {
					got = append(got, a.next(n))
				}
				if !slices.Equal(got, c.want) || a.n != 0 {
					t.Errorf("found the times %v and %d marks, want %v and 0", got, a.n, c.want)
				}
			}
		})
	}
}

// slowConn is a client's connection. Each write takes a time of the scripted clock.
type slowConn struct {
	gnet.Conn
	now   *int64
	takes int64
	input []byte
	wrote []byte
}

func (c *slowConn) Next(int) ([]byte, error) { return c.input, nil }
func (c *slowConn) OutboundBuffered() int    { return 0 }

func (c *slowConn) Write(b []byte) (int, error) {
	*c.now += c.takes
	c.wrote = append(c.wrote, b...)
	return len(b), nil
}

// clocked is a system whose clock stands still by itself.
type clocked struct {
	system
	at int64
}

func (c *clocked) now() int64 { return c.at }
func (c *clocked) ring()      {}

// TestResidence feeds a worker with a scripted clock. A batch's time in the server begins with the
// read of its last byte and ends behind the write. It counts for each operation of the batch.
func TestResidence(t *testing.T) {
	server := startServer(t, testConfig())
	clock := &clocked{at: 1000}
	w := newWorker(server, 0, nil)
	w.system, w.mail.system = clock, clock
	conn := &slowConn{now: &clock.at, takes: 7}
	p := &peer{w: w, c: conn, opened: true, greeted: true, short: trustAfter}
	read := func(b []byte) {
		conn.input = b
		p.traffic()
	}
	batch := func(ops int) []byte {
		b := make([]byte, headerBytes)
		for range ops {
			b = appendRequest(b, kvs.Get, 1, []byte("key"), nil)
		}
		putHeader(b, header{bytes: len(b), kind: kindRequest, count: ops})
		return b
	}
	steps := []struct {
		name string
		do   func()
		want uint64 // more time
	}{
		{"a batch", func() { read(batch(3)) }, 3 * 7},
		{"two in a read", func() { read(bytes.Join([][]byte{batch(1), batch(2)}, nil)) }, 3 * 7},
		{"the first part of one", func() { read(batch(2)[:20]) }, 0},
		{"its end, later", func() { clock.at += 1000; read(batch(2)[20:]) }, 2 * 7},
		{"a wait in line", func() {
			p.short = 0
			w.hadLong = true // so the line is next
			read(batch(5))
			clock.at += 100
			w.resume()
		}, 5 * (100 + 7)},
	}
	for _, s := range steps {
		before := w.counters.ResidenceNs
		s.do()
		if got := w.counters.ResidenceNs - before; got != s.want {
			t.Errorf("%s: %d ns more in the server, want %d", s.name, got, s.want)
		}
	}
	if w.counters.Ops != 3+3+2+5 {
		t.Errorf("%d operations answered, want 13", w.counters.Ops)
	}
}
