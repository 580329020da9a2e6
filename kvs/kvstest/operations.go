package kvstest

import (
	"bytes"
	"fmt"
	"strings"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// outcomes checks the status of each operation on absent and present keys.
func (e *env) outcomes() {
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
	s := e.open(kvs.SessionOptions{Batch: len(steps), Window: 1, Connections: 1})
	check := func(how string, i int, a kvs.Answer) {
		if a.Op != steps[i].request.Op || a.Status != steps[i].status ||
			string(a.Value) != steps[i].value {
			e.Errorf("%s, step %d: got %s %s %q, want %s %q", how, i, a.Op, a.Status, a.Value,
				steps[i].status, steps[i].value)
		}
	}
	e.Cleanup(func() { e.do(s, []kvs.Request{{Op: kvs.Delete, Key: k}}) })
	var batch []kvs.Request
	for i := range steps {
		batch = append(batch, steps[i].request)
		check("one by one", i, e.do(s, batch[i:])[0])
	}
	e.do(s, []kvs.Request{{Op: kvs.Delete, Key: k}})
	for i, a := range e.inOrder(s, batch) {
		check("at once", i, a)
	}
}

// values stores values with every byte at every place modulo 256, and lengths of every number of
// digits.
func (e *env) values() {
	sizes := []int{
		0, 1, 2, 7, 8, 9, 10, 11, 99, 100, 256, 999, 1000, 4095, 9999, 10000, 65534,
		kvs.MaxValueBytes,
	}
	var sets, gets []kvs.Request
	for i, n := range sizes {
		if n > e.limits.MaxValueBytes {
			continue
		}
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
	e.stored(sets, gets)
}

// keys uses keys of any single byte, and keys of every length up to the protocol's limit.
func (e *env) keys() {
	most := kvs.MaxKeyBytes
	if m := e.facts.MaxKeyBytes; m > 0 {
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
	for last := range 3 { // of keys that differ only in their last byte
		add(append(bytes.Repeat([]byte{'k'}, most-1), byte(last)))
	}
	e.stored(sets, gets)
}

// stored sets keys, and gets them.
func (e *env) stored(sets, gets []kvs.Request) {
	e.Helper()
	s := e.open(kvs.SessionOptions{Batch: 16, Window: 2, Connections: 1})
	for i, a := range e.do(s, sets) {
		if a.Status != kvs.OK {
			e.Errorf("set %.60q: %s", sets[i].Key, a.Status)
		}
	}
	for i, a := range e.do(s, gets) {
		if a.Status != kvs.OK || !bytes.Equal(a.Value, sets[i].Value) {
			e.Errorf("get %.60q: %s with %d bytes %.60q, want %d", gets[i].Key, a.Status,
				len(a.Value), a.Value, len(sets[i].Value))
		}
	}
}

// counters checks that the server's counters follow the operations. The key is stored beforehand:
// batches on several connections overtake each other.
func (e *env) counters() {
	k, none := []byte("counted"), []byte("never stored")
	s := e.open(kvs.SessionOptions{Batch: 7, Window: 1, Connections: 1})
	e.do(s, []kvs.Request{{Op: kvs.Set, Key: k, Value: k}})
	before := must.Get(e.remote.Stats())(e)
	var requests []kvs.Request
	for range 1000 {
		requests = append(requests,
			kvs.Request{Op: kvs.Set, Key: k, Value: k}, kvs.Request{Op: kvs.Get, Key: k},
			kvs.Request{Op: kvs.Get, Key: none}, kvs.Request{Op: kvs.Delete, Key: none})
	}
	hits := uint64(0)
	for _, a := range e.do(s, requests) {
		if a.Op == kvs.Get && a.Status == kvs.OK {
			hits++
		}
	}
	after := must.Get(e.remote.Stats())(e)
	a, b := total(&after), total(&before)
	// A transport that may lose messages sends a request again if the answer is late.
	again := s.Traffic().Retries
	counts := func(counted, want uint64) bool { return counted >= want && counted <= want+again }
	if !counts(a.Ops-b.Ops, 4000) || !counts(a.Gets-b.Gets, 2000) ||
		!counts(a.Hits-b.Hits, 1000) || hits != 1000 {
		e.Errorf("counted %d operations, %d gets, %d hits; found %d hits, want 4000, 2000, 1000, "+
			"and at most %d more that were sent again", a.Ops-b.Ops, a.Gets-b.Gets, a.Hits-b.Hits,
			hits, again)
	}
	if after.CPUNs <= before.CPUNs {
		e.Errorf("CPU time %d, then %d", before.CPUNs, after.CPUNs)
	}
	if tr := s.Traffic(); tr.Frames < 4000/7 || tr.SentBytes == 0 || tr.ReceivedBytes == 0 {
		e.Errorf("traffic %+v", tr)
	}
}

// moved compares the kernel's counts of the sockets of a session over TCP with its own counts.
func (e *env) moved() {
	if !strings.HasPrefix(e.facts.Transport, "tcp") {
		return
	}
	kernel.NeedTCPInfo(e)
	const connections = 3
	before := e.remote.Moved().Sockets
	s := e.open(kvs.SessionOptions{Batch: 2, Window: 1, Connections: connections})
	var gets []kvs.Request
	for i := range 100 {
		gets = append(gets, kvs.Request{Op: kvs.Get, Key: fmt.Appendf(nil, "moved %d", i)})
	}
	e.do(s, gets)
	own := s.Traffic()
	got := s.Moved().Sockets       // greetings come on top
	if e.facts.ProxyLanes != nil { // the sockets are the proxy's
		control := e.remote.Moved().Sockets
		sources, sent := control.Sources-before.Sources, control.SentBytes-before.SentBytes
		if want := connections * e.facts.Workers; got.Sources != 0 || sources != want ||
			sent < own.SentBytes || control.ReceivedBytes-before.ReceivedBytes < own.ReceivedBytes {
			e.Errorf("the session's sockets moved %+v, those of the remote and its proxy %+v "+
				"after %+v; want %d more, and the %+v of the session", got, control, before, want,
				own)
		}
		return
	}
	if want := connections * e.facts.Workers; got.Sources != want {
		e.Errorf("sockets: found %d, want %d: %d connections to each of %d workers", got.Sources,
			want, connections, e.facts.Workers)
	}
	if got.SentBytes < own.SentBytes || got.ReceivedBytes < own.ReceivedBytes {
		e.Errorf("the session's sockets moved %+v, it moved %+v", got, own)
	}
	control := e.remote.Moved().Sockets
	if control.Sources != max(1, len(e.facts.ClusterNodes)) || control.SentBytes == 0 ||
		control.ReceivedBytes == 0 {
		e.Errorf("the connection for counters moved %+v", control)
	}
}

// options checks that sizes out of range are refused.
func (e *env) options() {
	for _, o := range []kvs.SessionOptions{
		{Batch: 0, Window: 1, Connections: 1},
		{Batch: e.facts.MaxBatch + 1, Window: 1, Connections: 1},
		{Batch: 1, Window: 0, Connections: 1},
		{Batch: 1, Window: 1, Connections: 0},
	} {
		if s, err := e.remote.Open(o); err == nil {
			s.Close()
			e.Errorf("%+v was accepted", o)
		}
	}
}
