package memcached

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"

	"dpukv/internal/foreign"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
)

// maxToken is the maximum length of a key in one of the server's lines.
const maxToken = 250

// meta is the meta text protocol.
type meta struct{}

// Append adds a request.
func (*meta) Append(b []byte, r *kvs.Request) []byte {
	switch r.Op {
	case kvs.Get:
		b = append(b, "mg "...)
		b = appendKey(b, r.Key)
		return append(b, " v b\r\n"...)
	case kvs.Delete:
		b = append(b, "md "...)
		b = appendKey(b, r.Key)
		return append(b, " b\r\n"...)
	}
	b = append(b, "ms "...)
	b = appendKey(b, r.Key)
	b = append(b, ' ')
	b = strconv.AppendUint(b, uint64(len(r.Value)), 10)
	if r.Op == kvs.Add {
		b = append(b, " b ME"...)
	} else {
		b = append(b, " b"...)
	}
	if r.TTL > 0 {
		b = strconv.AppendInt(append(b, " T"...), int64(r.TTL/ttlUnit), 10)
	}
	b = append(b, "\r\n"...)
	b = append(b, r.Value...)
	return append(b, "\r\n"...)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// appendKey appends a key in base64. A key of 8 bytes, as the study's, needs no loop.
func appendKey(b, key []byte) []byte {
	if len(key) != 8 {
		return base64.StdEncoding.AppendEncode(b, key)
	}
	k := binary.BigEndian.Uint64(key)
	return append(b, alphabet[k>>58], alphabet[k>>52&63], alphabet[k>>46&63], alphabet[k>>40&63],
		alphabet[k>>34&63], alphabet[k>>28&63], alphabet[k>>22&63], alphabet[k>>16&63],
		alphabet[k>>10&63], alphabet[k>>4&63], alphabet[k<<2&63], '=')
}

// End adds nothing: every request is answered.
func (*meta) End(b []byte) []byte { return b }

// Read parses an answer.
func (*meta) Read(in []byte, op kvs.Op) (pipeline.Outcome, error) {
	if len(in) < len("HD\r\n") {
		return pipeline.Outcome{}, nil
	}
	if in[0] == 'V' && in[1] == 'A' && in[2] == ' ' && op == kvs.Get {
		return readValue(in)
	}
	if in[0] < 'A' || in[0] > 'Z' {
		return pipeline.Outcome{}, pipeline.Nonsense(in)
	}
	if in[2] != '\r' || in[3] != '\n' {
		return readFailure(in, op)
	}
	status, ok := short(in[0], in[1], op)
	if !ok {
		return pipeline.Outcome{},
			fmt.Errorf("found %q in answer to a %s: %w", in[:2], op, pipeline.Nonsense(in))
	}
	return pipeline.Outcome{Status: status, Bytes: 4}, nil
}

// short returns the meaning of an answer of two letters.
func short(a, b byte, op kvs.Op) (kvs.Status, bool) {
	switch {
	case a == 'H' && b == 'D':
		return kvs.OK, op != kvs.Get
	case a == 'E' && b == 'N':
		return kvs.NotFound, op == kvs.Get
	case a == 'N' && b == 'S':
		return kvs.Exists, op == kvs.Add
	case a == 'N' && b == 'F':
		return kvs.NotFound, op == kvs.Delete
	}
	return 0, false
}

// readValue parses "VA BYTES [FLAGS]\r\nVALUE\r\n". A value of 8 bytes, as the study's, has a short
// way.
func readValue(in []byte) (pipeline.Outcome, error) {
	if len(in) >= 16 && string(in[:6]) == "VA 8\r\n" && string(in[14:16]) == "\r\n" {
		return pipeline.Outcome{Status: kvs.OK, From: 6, To: 14, Bytes: 16}, nil
	}
	size, digits := pipeline.Number(in[3:])
	from := 3 + digits
	if from+1 < len(in) && in[from] == '\r' && in[from+1] == '\n' { // no flags were asked for
		from += 2
	} else {
		end, err := pipeline.Line(in)
		if err != nil || end < 0 {
			return pipeline.Outcome{}, err
		}
		from = end + 1
	}
	to := from + size
	switch {
	case digits == 0 || size > kvs.MaxValueBytes:
		return pipeline.Outcome{}, pipeline.Nonsense(in)
	case to+2 > len(in):
		return pipeline.Outcome{Bytes: to + 2}, nil
	case in[to] != '\r' || in[to+1] != '\n':
		return pipeline.Outcome{},
			fmt.Errorf("found a value of %d bytes followed by %q: %w", size, in[to:to+2],
				pipeline.Nonsense(in))
	}
	return pipeline.Outcome{Status: kvs.OK, From: from, To: to, Bytes: to + 2}, nil
}

var outOfMemory = []byte("SERVER_ERROR out of memory")

// readFailure parses a line with an error.
func readFailure(in []byte, op kvs.Op) (pipeline.Outcome, error) {
	end, err := pipeline.Line(in)
	if err != nil || end < 0 {
		return pipeline.Outcome{}, err
	}
	line := in[:end-1]
	switch {
	case bytes.HasPrefix(line, outOfMemory) && (op == kvs.Set || op == kvs.Add):
		return pipeline.Outcome{Status: kvs.Full, Bytes: end + 1}, nil
	case bytes.Contains(line, []byte("ERROR")):
		return pipeline.Outcome{},
			fmt.Errorf("the server answered a %s with: %s", op, foreign.Reason(line))
	}
	return pipeline.Outcome{}, pipeline.Nonsense(in)
}
