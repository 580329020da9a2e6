package pipetest

import (
	"bytes"
	"fmt"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// Conform checks every operation against an empty server: each operation's answers, values and keys
// of every size and byte, and long random sequences against a map, in several batch sizes.
func Conform(t *testing.T, r kvs.Remote) {
	t.Run("outcomes", func(t *testing.T) { outcomes(t, r) })
	t.Run("values", func(t *testing.T) { values(t, r) })
	t.Run("keys", func(t *testing.T) { keys(t, r) })
	for _, opts := range []kvs.SessionOptions{
		{Batch: 1, Window: 1, Connections: 1},
		{Batch: 7, Window: 3, Connections: 1},
		{Batch: 64, Window: 2, Connections: 3},
		{Batch: r.Facts().MaxBatch, Window: 1, Connections: 1},
	} {
		t.Run(fmt.Sprintf("random batch=%d window=%d connections=%d", opts.Batch, opts.Window,
			opts.Connections),
			func(t *testing.T) { random(t, r, opts) })
	}
	t.Run("counters", func(t *testing.T) { counters(t, r) })
	t.Run("options", func(t *testing.T) { options(t, r) })
}

// Trickle checks answers that come in pieces of a few bytes.
func Trickle(t *testing.T, st Store) {
	addr, _ := st.Start(t)
	p := NewProxy(t, addr)
	r, err := st.Dial(t.Context(), p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, piece := range []int{13, 1000} {
		p.Trickle(piece)
		t.Run(fmt.Sprint("values by ", piece), func(t *testing.T) { values(t, r) })
		t.Run(fmt.Sprint("outcomes by ", piece), func(t *testing.T) { outcomes(t, r) })
	}
}

func outcomes(t *testing.T, r kvs.Remote) {
	k, other := []byte("outcomes"), []byte("outcomes, other")
	steps := []struct {
		request kvs.Request
		status  kvs.Status
		value   string
	}{
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.NotFound, ""},
		{kvs.Request{Op: kvs.Delete, Key: k}, kvs.NotFound, ""},
		{kvs.Request{Op: kvs.Set, Key: k, Value: []byte("1")}, kvs.OK, ""},
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.OK, "1"},
		{kvs.Request{Op: kvs.Add, Key: k, Value: []byte("2")}, kvs.Exists, ""},
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.OK, "1"},
		{kvs.Request{Op: kvs.Get, Key: other}, kvs.NotFound, ""},
		{kvs.Request{Op: kvs.Set, Key: k, Value: []byte("33")}, kvs.OK, ""},
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.OK, "33"},
		{kvs.Request{Op: kvs.Delete, Key: k}, kvs.OK, ""},
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.NotFound, ""},
		{kvs.Request{Op: kvs.Add, Key: k, Value: []byte("444")}, kvs.OK, ""},
		{kvs.Request{Op: kvs.Get, Key: k}, kvs.OK, "444"},
	}
	s := Open(t, r, kvs.SessionOptions{Batch: len(steps), Window: 1, Connections: 1})
	check := func(how string, i int, a kvs.Answer) {
		if a.Op != steps[i].request.Op || a.Status != steps[i].status ||
			string(a.Value) != steps[i].value {
			t.Errorf("%s, step %d: got %s %s %q, want %s %q", how, i, a.Op, a.Status, a.Value,
				steps[i].status, steps[i].value)
		}
	}
	t.Cleanup(func() { kvstest.Do(t, s, nil, []kvs.Request{{Op: kvs.Delete, Key: k}}) })
	var batch []kvs.Request
	for i := range steps {
		batch = append(batch, steps[i].request)
		check("one by one", i, kvstest.Do(t, s, nil, batch[i:])[0])
	}
	kvstest.Do(t, s, nil, []kvs.Request{{Op: kvs.Delete, Key: k}})
	for i, a := range kvstest.Do(t, s, nil, batch) {
		check("at once", i, a)
	}
}

// values stores values with every byte at every place modulo 256, and lengths of every number of
// digits.
func values(t *testing.T, r kvs.Remote) {
	sizes := []int{
		0, 1, 2, 7, 8, 9, 10, 11, 99, 100, 256, 999, 1000, 4095, 9999, 10000, 65534,
		kvs.MaxValueBytes,
	}
	var sets, gets []kvs.Request
	for i, n := range sizes {
		value := make([]byte, n)
		for j := range value {
			value[j] = byte(i + j)
		}
		k := fmt.Appendf(nil, "value %d", n)
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: k, Value: value})
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: k})
	}
	for _, poison := range []string{
		"\r\n", "END\r\n", "VA 3\r\n", "$-1\r\n", "-ERR\r\n", "_\r\n",
		"\x81\x00",
	} {
		sets = append(sets, kvs.Request{
			Op: kvs.Set, Key: []byte("poison " + poison),
			Value: []byte(poison),
		})
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: []byte("poison " + poison)})
	}
	checkStored(t, r, sets, gets)
}

// keys uses keys of any single byte, and keys of every length up to the protocol's limit.
func keys(t *testing.T, r kvs.Remote) {
	most := kvs.MaxKeyBytes
	if m := r.Facts().MaxKeyBytes; m > 0 {
		most = m
	}
	var sets, gets []kvs.Request
	add := func(k []byte) {
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: k, Value: append([]byte("of "), k...)})
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: k})
	}
	for b := range 256 {
		add([]byte{byte(b)})
	}
	for n := 2; n <= most; n++ {
		k := make([]byte, n)
		for j := range k {
			k[j] = byte(n * (j + 1))
		}
		add(k)
	}
	checkStored(t, r, sets, gets)
}

func checkStored(t *testing.T, r kvs.Remote, sets, gets []kvs.Request) {
	t.Helper()
	s := Open(t, r, kvs.SessionOptions{Batch: 16, Window: 2, Connections: 1})
	for i, a := range kvstest.Do(t, s, nil, sets) {
		if a.Status != kvs.OK {
			t.Errorf("set %.60q: %s", sets[i].Key, a.Status)
		}
	}
	for i, a := range kvstest.Do(t, s, nil, gets) {
		if a.Status != kvs.OK || !bytes.Equal(a.Value, sets[i].Value) {
			t.Errorf("get %.60q: %s with %d bytes %.60q, want %d", gets[i].Key, a.Status,
				len(a.Value), a.Value, len(sets[i].Value))
		}
	}
}

// counters checks that the server's counters follow the operations.
func counters(t *testing.T, r kvs.Remote) {
	before, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
	k, none := []byte("counted"), []byte("never stored")
	s := Open(t, r, kvs.SessionOptions{Batch: 7, Window: 1, Connections: 1})
	var requests []kvs.Request
	for range 1000 {
		requests = append(requests,
			kvs.Request{Op: kvs.Set, Key: k, Value: k}, kvs.Request{Op: kvs.Get, Key: k},
			kvs.Request{Op: kvs.Get, Key: none}, kvs.Request{Op: kvs.Delete, Key: none})
	}
	kvstest.Do(t, s, nil, requests)
	after, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
	a, b := sum(&after), sum(&before)
	if a.Ops-b.Ops != 4000 || a.Gets-b.Gets != 2000 || a.Hits-b.Hits != 1000 {
		t.Errorf("counted %d operations, %d gets, %d hits, want 4000, 2000, 1000", a.Ops-b.Ops,
			a.Gets-b.Gets, a.Hits-b.Hits)
	}
	if after.CPUNs <= before.CPUNs {
		t.Errorf("CPU time %d, then %d", before.CPUNs, after.CPUNs)
	}
	if tr := s.Traffic(); tr.Frames < 4000/7 || tr.SentBytes == 0 || tr.ReceivedBytes == 0 {
		t.Errorf("traffic %+v", tr)
	}
	moved(t, r, s)
}

// sum adds up what the nodes of a cluster counted.
func sum(s *kvs.Stats) (all kvs.WorkerStats) {
	for i := range s.Workers {
		w := &s.Workers[i]
		all.Ops, all.Gets, all.Hits = all.Ops+w.Ops, all.Gets+w.Gets, all.Hits+w.Hits
	}
	return all
}

// moved compares the kernel's counts of the sockets with the session's own. The kernel has none for
// a Unix socket.
func moved(t *testing.T, r kvs.Remote, s kvs.Session) {
	if f := r.Facts(); f.Transport == "unix" {
		return
	}
	kernel.NeedTCPInfo(t)
	own := s.Traffic()
	got := s.Moved().Sockets // greetings come on top
	if got.Sources != r.Facts().Workers || got.SentBytes < own.SentBytes ||
		got.ReceivedBytes < own.ReceivedBytes {
		t.Errorf("the session's sockets moved %+v, it moved %+v", got, own)
	}
	if got := r.Moved().Sockets; got.Sources != max(1, len(r.Facts().ClusterNodes)) ||
		got.SentBytes == 0 || got.ReceivedBytes == 0 {
		t.Errorf("the connection for counters moved %+v", got)
	}
}

func options(t *testing.T, r kvs.Remote) {
	for _, o := range []kvs.SessionOptions{
		{Batch: 0, Window: 1, Connections: 1},
		{Batch: r.Facts().MaxBatch + 1, Window: 1, Connections: 1},
		{Batch: 1, Window: 0, Connections: 1},
		{Batch: 1, Window: 1, Connections: 0},
	} {
		if s, err := r.Open(o); err == nil {
			s.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}

// Open opens a session for the duration of a test.
func Open(t testing.TB, r kvs.Remote, opts kvs.SessionOptions) kvs.Session {
	t.Helper()
	s, err := r.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
