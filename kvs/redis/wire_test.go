package redis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

func TestRead(t *testing.T) {
	for _, test := range []struct {
		in    string
		op    kvs.Op
		want  pipeline.Outcome
		fails string
	}{
		{"$3\r\nabc\r\n$-1", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 4, To: 7, Bytes: 9}, ""},
		{"$8\r\n12345678\r\n$-1", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 4, To: 12, Bytes: 14}, ""},
		{"$8\r\n12345678\r", kvs.Get, pipeline.Outcome{Bytes: 14}, ""},
		{"$8\r\n123456789\r\n", kvs.Get, pipeline.Outcome{}, "followed by"},
		{"$8\n\r12345678\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"$8\r\n12345678\r\n", kvs.Delete, pipeline.Outcome{}, "not of this protocol"},
		{"$0\r\n\r\n", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 4, To: 4, Bytes: 6}, ""},
		{"$3\r\nab", kvs.Get, pipeline.Outcome{Bytes: 9}, ""},
		{"$", kvs.Get, pipeline.Outcome{}, ""},
		{"$1", kvs.Get, pipeline.Outcome{}, ""},
		{"$-1\r\n", kvs.Get, pipeline.Outcome{Status: kvs.NotFound, Bytes: 5}, ""},
		{"_\r\n", kvs.Get, pipeline.Outcome{Status: kvs.NotFound, Bytes: 3}, ""},
		{"$-1\r\n", kvs.Add, pipeline.Outcome{Status: kvs.Exists, Bytes: 5}, ""},
		{"_\r\n", kvs.Add, pipeline.Outcome{Status: kvs.Exists, Bytes: 3}, ""},
		{"+OK\r\n", kvs.Set, pipeline.Outcome{Bytes: 5}, ""},
		{":1\r\n", kvs.Delete, pipeline.Outcome{Bytes: 4}, ""},
		{":0\r\n", kvs.Delete, pipeline.Outcome{Status: kvs.NotFound, Bytes: 4}, ""},
		{"+OK\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"$3\r\nabc\r\n", kvs.Set, pipeline.Outcome{}, "not of this protocol"},
		{":2\r\n", kvs.Delete, pipeline.Outcome{}, "not of this protocol"},
		{"$3\r\nabcd\r\n", kvs.Get, pipeline.Outcome{}, "followed by"},
		{"$99999\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"$9999999999", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{
			"-OOM command not allowed when used memory > 'maxmemory'.\r\n", kvs.Set,
			pipeline.Outcome{Status: kvs.Full, Bytes: 58},
			"",
		},
		{"-LOADING Redis is loading\r\n", kvs.Get, pipeline.Outcome{}, "LOADING"},
		{strings.Repeat("x", 3000), kvs.Get, pipeline.Outcome{}, "not of this protocol"},
	} {
		pipetest.Reads(t, new(resp), test.in, test.op, test.want, test.fails)
	}
}

// TestAppendString checks strings of every length around those with ways of their own.
func TestAppendString(t *testing.T) {
	for size := range 102 {
		s := strings.Repeat("x", size)
		want := fmt.Sprintf("+$%d\r\n%s\r\n", size, s)
		if got := appendString([]byte("+"), []byte(s)); string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestMGetRows checks the encoding of runs of GETs between other requests, and the parsing of their
// answers.
func TestMGetRows(t *testing.T) {
	w := &resp{mget: true}
	var b []byte
	for _, q := range []kvs.Request{
		{Op: kvs.Get, Key: []byte("a")},
		{Op: kvs.Get, Key: []byte("b")},
		{Op: kvs.Set, Key: []byte("c"), Value: []byte("d")},
		{Op: kvs.Get, Key: []byte("e")},
	} {
		b = w.Append(b, &q)
	}
	b = w.End(b)
	want := "*3 $4 MGET $1 a $1 b *3 $3 SET $1 c $1 d *2 $4 MGET $1 e "
	if got := strings.ReplaceAll(string(b), "\r\n", " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	in := []byte("*2\r\n$1\r\nA\r\n_\r\n+OK\r\n*1\r\n$1\r\nE\r\n")
	for _, step := range []struct {
		op     kvs.Op
		status kvs.Status
		value  string
	}{{kvs.Get, kvs.OK, "A"}, {kvs.Get, kvs.NotFound, ""}, {kvs.Set, kvs.OK, ""}, {kvs.Get, kvs.OK, "E"}} {
		o, err := w.Read(in, step.op)
		if err != nil || o.Bytes == 0 || o.Status != step.status || string(in[o.From:o.To]) != step.value {
			t.Fatalf("%q: %+v, %v", in, o, err)
		}
		in = in[o.Bytes:]
	}
	w = &resp{mget: true}
	in = []byte("*2\r\n$1\r\nA\r\n_\r\n") // the rest would be an answer to an ADD
	o := must.Get(w.Read(in, kvs.Get))(t)
	if o, err := w.Read(in[o.Bytes:], kvs.Add); err == nil {
		t.Errorf("a value that no MGET asked for was taken for the answer to an ADD: %+v", o)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"$3\r\nabc\r\n", "$8\r\n12345678\r\n", "$0\r\n\r\n", "$-1\r\n", "_\r\n", "+OK\r\n", ":1\r\n", "-OOM x\r\n",
		"-ERR x\r\n", "*2\r\n$1\r\na\r\n_\r\n",
	} {
		for op := kvs.Get; op <= kvs.Delete; op++ {
			f.Add([]byte(s), uint8(op), op%2 == 1)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, op uint8, mget bool) {
		pipetest.Pieces(t, func() pipeline.Wire { return &resp{mget: mget} }, in, kvs.Op(1+op%4))
	})
}

func TestParseStats(t *testing.T) {
	good := map[string]string{
		"keyspace_hits": "3", "keyspace_misses": "2", "evicted_keys": "0", "connected_clients": "1",
		"used_cpu_user": "1.5", "used_cpu_sys": "0.25", "cmdstat_set": "calls=10,usec=9", "db0": "keys=7,expires=0",
		keyspace: "",
	}
	s, err := plain.parseStats(good, 1, 0)
	if err != nil || s.CPUNs != 1_750_000_000 || s.Ops() != 15 || s.Workers[0].Items != 7 {
		t.Errorf("%+v, %v", s, err)
	}
	empty := maps.Clone(good)
	delete(empty, "db0")
	if s, err := plain.parseStats(empty, 1, 0); err != nil || s.Workers[0].Items != 0 {
		t.Errorf("a database without keys: %+v, %v", s, err)
	}
	// Without the section, the number of keys is not 0: somebody's keys may be there.
	for _, absent := range []map[string]string{empty, good} {
		absent := maps.Clone(absent)
		delete(absent, keyspace)
		s, err := plain.parseStats(absent, 1, 0)
		if err != nil || !s.NoItems || !slices.Equal(s.Untold, []string{keyspace}) {
			t.Errorf("without a section of keys: %+v, %v", s, err)
		}
	}
	delete(good, keyspace)
	for name, text := range good {
		bad := maps.Clone(good)
		bad[keyspace] = ""
		bad[name] = strings.NewReplacer("10", "many", "7", "many").Replace(text)
		if bad[name] == text {
			bad[name] = "many"
		}
		_, err := plain.parseStats(bad, 1, 0)
		must.Fail(t, err, name)
		if strings.HasPrefix(name, "cmdstat_") || name == "db0" {
			continue // absent while nothing has happened
		}
		delete(bad, name)
		s, err := plain.parseStats(bad, 1, 0)
		if err != nil || !slices.Equal(s.Untold, []string{name}) {
			t.Errorf("without %s: %+v, %v", name, s, err)
		}
	}
}

var benchAnswer = []byte("$8\r\n12345678\r\n")

func BenchmarkWire(b *testing.B) { pipetest.BenchWire(b, &resp{}, benchAnswer) }

func BenchmarkSession(b *testing.B) {
	for _, connections := range []int{4, 16} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			pipetest.Bench(b, func() pipeline.Wire { return &resp{} }, benchAnswer, connections)
		})
	}
}
