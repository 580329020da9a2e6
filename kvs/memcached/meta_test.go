package memcached

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
	"dpukv/kvs/internal/pipetest"
)

// TestKeysAreBase64 compares keys of every length with the standard library's base64.
func TestKeysAreBase64(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for size := range MaxKeyBytesMeta + 1 {
		for range 50 {
			key := make([]byte, size)
			random.Read(key)
			want := "mg " + base64.StdEncoding.EncodeToString(key)
			if got := appendKey([]byte("mg "), key); string(got) != want {
				t.Fatalf("%x: %q, want %q", key, got, want)
			}
		}
	}
}

func TestMetaRead(t *testing.T) {
	for _, test := range []struct {
		in    string
		op    kvs.Op
		want  pipeline.Outcome
		fails string
	}{
		{"VA 3\r\nabc\r\nEN\r\n", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 6, To: 9, Bytes: 11}, ""},
		{"VA 3 f1 s3\r\nabc\r\n", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 12, To: 15, Bytes: 17}, ""},
		{"VA 8\r\n12345678\r\nEN", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 6, To: 14, Bytes: 16}, ""},
		{"VA 8\r\n12345678\r", kvs.Get, pipeline.Outcome{Bytes: 16}, ""},
		{"VA 8\r\n123456789\r\n", kvs.Get, pipeline.Outcome{}, "followed by"},
		{"VA 8\r\n12345678\r\n", kvs.Set, pipeline.Outcome{}, "not of this protocol"},
		{"VA 0\r\n\r\n", kvs.Get, pipeline.Outcome{Status: kvs.OK, From: 6, To: 6, Bytes: 8}, ""},
		{"VA 3\r\nab", kvs.Get, pipeline.Outcome{Bytes: 11}, ""},
		{"VA ", kvs.Get, pipeline.Outcome{}, ""},
		{"VA x\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"VA 99999\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"VA 3\r\nabcd\r\n", kvs.Get, pipeline.Outcome{}, "followed by"},
		{"VA 3\r\nabc\r\n", kvs.Set, pipeline.Outcome{}, "not of this protocol"},
		{"HD\r\n", kvs.Get, pipeline.Outcome{}, "not of this protocol"},
		{"EN\r\n", kvs.Set, pipeline.Outcome{}, "not of this protocol"},
		{"NS\r\n", kvs.Set, pipeline.Outcome{}, "not of this protocol"},
		{"NS\r\n", kvs.Add, pipeline.Outcome{Status: kvs.Exists, Bytes: 4}, ""},
		{"SERVER_ERROR out of memory storing object\r\n", kvs.Set, pipeline.Outcome{Status: kvs.Full, Bytes: 43}, ""},
		{"SERVER_ERROR out of memory writing get response\r\n", kvs.Get, pipeline.Outcome{}, "server answered"},
		{"CLIENT_ERROR bad data chunk\r\n", kvs.Set, pipeline.Outcome{}, "bad data chunk"},
		{"CLIENT_ERROR bad", kvs.Set, pipeline.Outcome{}, ""},
		{strings.Repeat("x", 3000), kvs.Get, pipeline.Outcome{}, "not of this protocol"},
	} {
		pipetest.Reads(t, new(meta), test.in, test.op, test.want, test.fails)
	}
}

func FuzzMetaRead(f *testing.F) {
	for _, s := range []string{
		"VA 3\r\nabc\r\n", "VA 8\r\n12345678\r\n", "VA 0 f0\r\n\r\n", "HD\r\n", "EN\r\n", "NS\r\n",
		"SERVER_ERROR out of memory\r\n", "ERROR\r\n",
	} {
		for op := kvs.Get; op <= kvs.Delete; op++ {
			f.Add([]byte(s), uint8(op))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, op uint8) {
		pipetest.Pieces(t, func() pipeline.Wire { return &meta{} }, in, kvs.Op(1+op%4))
	})
}

// TestBinaryRead changes a valid answer to a GET (extras, no key, and a value of three bytes) byte
// by byte.
func TestBinaryRead(t *testing.T) {
	answer := appendPacket(nil, opGet, 4, 0, 3)
	answer[0] = magicResponse
	answer = append(answer, "\x00\x00\x00\x00abc"...)
	for _, test := range []struct {
		name  string
		at    int
		to    byte
		want  pipeline.Outcome
		fails string
	}{
		{"as it should be", 0, magicResponse, pipeline.Outcome{From: 28, To: 31, Bytes: 31}, ""},
		{"a request", 0, magicRequest, pipeline.Outcome{}, "not of this protocol"},
		{"to something else", 1, opSet, pipeline.Outcome{}, "not of this protocol"},
		{"a key longer than the body", 3, 4, pipeline.Outcome{}, "not of this protocol"},
		{"extras longer than the body", 4, 8, pipeline.Outcome{}, "not of this protocol"},
		{"not there", 7, statusNotFound, pipeline.Outcome{Status: kvs.NotFound, Bytes: 31}, ""},
		{"no room", 7, statusNoMemory, pipeline.Outcome{}, "status 0x82: abc"},
		{"a body that is too long", 9, 2, pipeline.Outcome{}, "not of this protocol"},
		{"more to come", 11, 9, pipeline.Outcome{Bytes: 33}, ""},
	} {
		in := bytes.Clone(answer)
		in[test.at] = test.to
		t.Run(test.name, func(t *testing.T) {
			pipetest.Reads(t, new(classic), string(in), kvs.Get, test.want, test.fails)
		})
	}
}

func FuzzBinaryRead(f *testing.F) {
	answer := appendPacket(nil, opGet, 4, 0, 3)
	answer[0] = magicResponse
	answer = append(answer, "\x00\x00\x00\x00abc"...)
	missing := bytes.Clone(answer)
	missing[7] = statusNotFound
	for _, b := range [][]byte{answer, missing} {
		f.Add(b, uint8(0))
	}
	f.Fuzz(func(t *testing.T, in []byte, op uint8) {
		pipetest.Pieces(t, func() pipeline.Wire { return &classic{} }, in, kvs.Op(1+op%4))
	})
}

func TestParseStats(t *testing.T) {
	good := map[string]string{
		"cmd_get": "5", "get_hits": "3", "curr_items": "2", "evictions": "1", "store_no_memory": "0",
		"curr_connections": "4",
		"cmd_set":          "10", "delete_hits": "1", "delete_misses": "1", "rusage_user": "1.000002",
		"rusage_system": "0:000003",
	}
	s, err := parseStats(good)
	if err != nil || s.CPUNs != 1_000_005_000 || s.Ops() != 17 {
		t.Errorf("%+v, %v", s, err)
	}
	for name := range good {
		bad := map[string]string{}
		for k, v := range good {
			bad[k] = v
		}
		bad[name] = "many"
		_, err := parseStats(bad)
		must.Fail(t, err, name)
		delete(bad, name) // a count that is absent is not 0
		s, err := parseStats(bad)
		if err != nil || !slices.Equal(s.Untold, []string{name}) || s.NoItems != (name == "curr_items") {
			t.Errorf("without %s: %+v, %v", name, s, err)
		}
	}
	good["slab_reassign_evictions_nomem"], good["slab_reassign_busy_deletes"] = "20", "300"
	if s, err = parseStats(good); err != nil || s.Workers[0].Evicted != 321 {
		t.Errorf("with items that went as memory moved: %+v, %v", s, err)
	}
}

// benchWires are the protocols, each with the answer to a GET.
func benchWires() map[string]struct {
	wire   pipeline.Wire
	answer []byte
} {
	binary := appendPacket(nil, opGet, 4, 0, 8)
	binary[0] = magicResponse
	return map[string]struct {
		wire   pipeline.Wire
		answer []byte
	}{
		Meta:   {&meta{}, []byte("VA 8\r\n12345678\r\n")},
		Binary: {&classic{}, append(binary, "\x00\x00\x00\x0012345678"...)},
	}
}

func BenchmarkWire(b *testing.B) {
	for protocol, w := range benchWires() {
		b.Run("protocol="+protocol, func(b *testing.B) { pipetest.BenchWire(b, w.wire, w.answer) })
	}
}

func BenchmarkSession(b *testing.B) {
	for protocol, w := range benchWires() {
		for _, connections := range []int{4, 16} {
			b.Run(fmt.Sprintf("protocol=%s/connections=%d", protocol, connections), func(b *testing.B) {
				pipetest.Bench(b, func() pipeline.Wire { return w.wire }, w.answer, connections)
			})
		}
	}
}
