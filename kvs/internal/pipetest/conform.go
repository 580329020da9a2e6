package pipetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// Conform checks every operation against an empty server: what each answers, values and keys of every size and byte, and
// long random sequences against a map, in several shapes of batches.
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
		t.Run(fmt.Sprintf("random batch=%d window=%d connections=%d", opts.Batch, opts.Window, opts.Connections),
			func(t *testing.T) { random(t, r, opts) })
	}
	t.Run("counters", func(t *testing.T) { counters(t, r) })
	t.Run("options", func(t *testing.T) { options(t, r) })
}

// Trickle checks answers that come in pieces of few bytes.
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
		if a.Op != steps[i].request.Op || a.Status != steps[i].status || string(a.Value) != steps[i].value {
			t.Errorf("%s, step %d: got %s %s %q, want %s %q", how, i, a.Op, a.Status, a.Value, steps[i].status, steps[i].value)
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

// values has every byte at every place modulo 256, and every number of digits in a length.
func values(t *testing.T, r kvs.Remote) {
	sizes := []int{0, 1, 2, 7, 8, 9, 10, 11, 99, 100, 256, 999, 1000, 4095, 9999, 10000, 65534, kvs.MaxValueBytes}
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
	for _, poison := range []string{"\r\n", "END\r\n", "VA 3\r\n", "$-1\r\n", "-ERR\r\n", "_\r\n", "\x81\x00"} {
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: []byte("poison " + poison), Value: []byte(poison)})
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: []byte("poison " + poison)})
	}
	checkStored(t, r, sets, gets)
}

// keys has keys of one byte, any, and of every length up to the protocol's limit.
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
			t.Errorf("get %.60q: %s with %d bytes %.60q, want %d", gets[i].Key, a.Status, len(a.Value), a.Value, len(sets[i].Value))
		}
	}
}

// random does operations on few keys, in an order that one connection keeps.
func random(t *testing.T, r kvs.Remote, opts kvs.SessionOptions) {
	const keys, ops = 50, 5000
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	if opts.Connections > 1 || r.Facts().Workers > 1 {
		randomEach(t, r, opts, rng, seed)
		return
	}
	model := map[string][]byte{}
	var requests []kvs.Request
	var want []kvs.Answer
	for range keys { // earlier runs used them too
		requests = append(requests, kvs.Request{Op: kvs.Delete, Key: randomKey(len(requests))})
		want = append(want, kvs.Answer{})
	}
	for range ops {
		q := kvs.Request{Op: kvs.Op(1 + rng.IntN(4)), Key: randomKey(rng.IntN(keys))}
		if q.Op == kvs.Set || q.Op == kvs.Add {
			q.Value = make([]byte, rng.IntN(64)*rng.IntN(64))
			for i := range q.Value {
				q.Value[i] = byte(rng.Uint32())
			}
		}
		requests, want = append(requests, q), append(want, apply(model, &q))
	}
	for i, a := range kvstest.Do(t, Open(t, r, opts), nil, requests) {
		if i >= keys && (a.Status != want[i].Status || !bytes.Equal(a.Value, want[i].Value)) {
			t.Fatalf("seed %d, operation %d, %s: got %s with %d bytes, want %s with %d", seed, i, requests[i].Op, a.Status, len(a.Value), want[i].Status, len(want[i].Value))
		}
	}
}

func randomKey(n int) []byte { return fmt.Appendf(nil, "random\r\n %d", n) }

// apply does one operation on a map.
func apply(m map[string][]byte, q *kvs.Request) (a kvs.Answer) {
	value, there := m[string(q.Key)]
	switch {
	case q.Op == kvs.Add && there:
		a.Status = kvs.Exists
	case q.Op == kvs.Set || q.Op == kvs.Add:
		m[string(q.Key)] = q.Value
	case !there:
		a.Status = kvs.NotFound
	case q.Op == kvs.Delete:
		delete(m, string(q.Key))
	default:
		a.Value = value
	}
	return a
}

// randomEach is for sessions of several connections, which overtake each other: every key is set once, and got thereafter.
func randomEach(t *testing.T, r kvs.Remote, opts kvs.SessionOptions, rng *rand.Rand, seed uint64) {
	var sets, gets []kvs.Request
	for i := range 2000 {
		k := fmt.Appendf(nil, "each %d", i)
		sets = append(sets, kvs.Request{Op: kvs.Set, Key: k, Value: fmt.Appendf(nil, "%d %d", seed, i)})
	}
	for range 5000 {
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: sets[rng.IntN(len(sets))].Key})
	}
	s := Open(t, r, opts)
	for i, a := range kvstest.Do(t, s, nil, sets) {
		if a.Status != kvs.OK {
			t.Fatalf("set %d: %s", i, a.Status)
		}
	}
	for i, a := range kvstest.Do(t, s, nil, gets) {
		var n int
		if _, err := fmt.Sscanf(string(gets[i].Key), "each %d", &n); err != nil {
			t.Fatal(err)
		}
		if got := string(a.Value); got != string(sets[n].Value) {
			t.Fatalf("seed %d: key %d has %q, want %q", seed, n, got, sets[n].Value)
		}
	}
}

// counters wants the server's own to follow what is done.
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
			kvs.Request{Op: kvs.Set, Key: k, Value: k}, kvs.Request{Op: kvs.Get, Key: k}, kvs.Request{Op: kvs.Get, Key: none}, kvs.Request{Op: kvs.Delete, Key: none})
	}
	kvstest.Do(t, s, nil, requests)
	after, err := r.Stats()
	if err != nil {
		t.Fatal(err)
	}
	a, b := after.Workers[0], before.Workers[0]
	if a.Ops-b.Ops != 4000 || a.Gets-b.Gets != 2000 || a.Hits-b.Hits != 1000 {
		t.Errorf("counted %d operations, %d gets, %d hits, want 4000, 2000, 1000", a.Ops-b.Ops, a.Gets-b.Gets, a.Hits-b.Hits)
	}
	if after.CPUNs <= before.CPUNs {
		t.Errorf("CPU time %d, then %d", before.CPUNs, after.CPUNs)
	}
	if tr := s.Traffic(); tr.Frames < 4000/7 || tr.SentBytes == 0 || tr.ReceivedBytes == 0 {
		t.Errorf("traffic %+v", tr)
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

// Open opens a session for the length of a test.
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
