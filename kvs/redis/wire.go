package redis

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"dpukv/internal/foreign"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipeline"
)

// resp is the protocol state of one connection.
type resp struct {
	mget bool
	// rowAt and row are the start and the length of the run of GETs at the end of the batch.
	rowAt, row int
	left       int // values of an array still to be read
}

// Append adds a request.
func (w *resp) Append(b []byte, r *kvs.Request) []byte {
	if w.mget && r.Op == kvs.Get {
		if w.row == 0 {
			w.rowAt = len(b)
		}
		w.row++
		return appendString(b, r.Key)
	}
	if w.row > 0 {
		b = w.End(b)
	}
	switch r.Op {
	case kvs.Get:
		b = append(b, "*2\r\n$3\r\nGET\r\n"...)
		return appendString(b, r.Key)
	case kvs.Delete:
		b = append(b, "*2\r\n$3\r\nDEL\r\n"...)
		return appendString(b, r.Key)
	}
	words := len(b) + 1 // the place of their number
	b = append(b, "*3\r\n$3\r\nSET\r\n"...)
	b = appendString(b, r.Key)
	b = appendString(b, r.Value)
	if r.Op == kvs.Add {
		b = append(b, "$2\r\nNX\r\n"...)
		b[words]++
	}
	if r.TTL > 0 {
		var ms [20]byte
		b = append(b, "$2\r\nPX\r\n"...)
		b = appendString(b, strconv.AppendInt(ms[:0], r.TTL.Milliseconds(), 10))
		b[words] += 2
	}
	return b
}

// End puts the command before a run of keys, once its length is known.
func (w *resp) End(b []byte) []byte {
	if w.row == 0 {
		return b
	}
	var head [32]byte
	h := append(head[:0], '*')
	h = strconv.AppendUint(h, uint64(w.row+1), 10)
	h = append(h, "\r\n$4\r\nMGET\r\n"...)
	w.row = 0
	return slices.Insert(b, w.rowAt, h...)
}

func appendString(b, s []byte) []byte {
	if len(s) == 8 { // the study's keys and values
		b = append(b, "$8\r\n"...)
		b = append(b, s[:8]...)
		return append(b, '\r', '\n')
	}
	if len(s) < 10 {
		b = append(b, '$', '0'+byte(len(s)), '\r', '\n')
	} else {
		b = append(b, '$')
		b = strconv.AppendUint(b, uint64(len(s)), 10)
		b = append(b, '\r', '\n')
	}
	b = append(b, s...)
	return append(b, '\r', '\n')
}

// Read parses an answer.
func (w *resp) Read(in []byte, op kvs.Op) (pipeline.Outcome, error) {
	if !w.mget || op != kvs.Get {
		if w.left > 0 {
			return pipeline.Outcome{}, fmt.Errorf("found %d values more than MGET asked "+
				"for", w.left)
		}
		return read(in, op)
	}
	head, count := 0, w.left
	if count == 0 {
		var err error
		if count, head, err = arrayHead(in); err != nil || head == 0 {
			return pipeline.Outcome{}, err
		}
	}
	if len(in) == head {
		return pipeline.Outcome{}, nil
	}
	o, err := read(in[head:], op)
	if err != nil || o.Bytes == 0 || o.Bytes > len(in)-head {
		return pipeline.Outcome{}, err
	}
	w.left = count - 1
	o.From, o.To, o.Bytes = o.From+head, o.To+head, o.Bytes+head
	return o, nil
}

// arrayHead parses "*COUNT\r\n", of at least one value.
func arrayHead(in []byte) (count, head int, err error) {
	if in[0] != '*' && in[0] != '-' {
		return 0, 0, pipeline.Nonsense(in)
	}
	end, err := pipeline.Line(in)
	if err != nil || end < 0 {
		return 0, 0, err
	}
	count, digits := pipeline.Number(in[1:])
	if in[0] == '-' {
		return 0, 0, failure(in[1:end-1], kvs.Get)
	}
	if count == 0 || 1+digits != end-1 {
		return 0, 0, pipeline.Nonsense(in)
	}
	return count, end + 1, nil
}

// read parses one value. in has at least one byte.
func read(in []byte, op kvs.Op) (pipeline.Outcome, error) {
	if in[0] == '$' && op == kvs.Get && len(in) > 1 && in[1] != '-' {
		return readString(in)
	}
	if in[0] > '_' || in[0] < '$' { // none of the types
		return pipeline.Outcome{}, pipeline.Nonsense(in)
	}
	end, err := pipeline.Line(in)
	if err != nil || end < 0 {
		return pipeline.Outcome{}, err
	}
	o := pipeline.Outcome{Bytes: end + 1}
	switch line := string(in[:end-1]); {
	case line == "+OK" && (op == kvs.Set || op == kvs.Add):
	case (line == "$-1" || line == "_") && op == kvs.Get: // RESP2's and RESP3's null
		o.Status = kvs.NotFound
	case (line == "$-1" || line == "_") && op == kvs.Add:
		o.Status = kvs.Exists
	case line == ":1" && op == kvs.Delete:
	case line == ":0" && op == kvs.Delete:
		o.Status = kvs.NotFound
	case in[0] == '-' && bytes.HasPrefix(in, outOfMemory):
		o.Status = kvs.Full
	case in[0] == '-':
		return o, failure(in[1:end-1], op)
	default:
		return o, fmt.Errorf("in answer to a %s: %w", op, pipeline.Nonsense(in))
	}
	return o, nil
}

var outOfMemory = []byte("-OOM ")

// failure is the error of an error reply. An answer that depends on the server's state says what to
// do.
func failure(words []byte, op kvs.Op) error {
	err := fmt.Errorf("the server answered a %s with: %s", op, foreign.Reason(words))
	code, _, _ := bytes.Cut(words, []byte(" "))
	if what := remedies[string(code)]; what != "" {
		return fmt.Errorf("%w; %s", err, what)
	}
	return err
}

const changed = "the cluster gave slots to other nodes since the connection began: measure again " +
	"once it is stable"

// remedies are by the code of an error reply.
var remedies = map[string]string{
	"MOVED": changed, "ASK": changed, "TRYAGAIN": changed, "CLUSTERDOWN": changed,
	"NOPERM":   "grant the ACL user the commands GET, SET and DEL, and all keys (~*)",
	"READONLY": "name the master, not a replica",
	"NOAUTH":   "give the password with --password-file",
}

// readString parses "$BYTES\r\nVALUE\r\n". A value of 8 bytes, as the study's, has a short way.
func readString(in []byte) (pipeline.Outcome, error) {
	if len(in) >= 14 && string(in[:4]) == "$8\r\n" && string(in[12:14]) == "\r\n" {
		return pipeline.Outcome{Status: kvs.OK, From: 4, To: 12, Bytes: 14}, nil
	}
	size, digits := pipeline.Number(in[1:])
	from := 1 + digits + 2
	if from > len(in) {
		if digits > 5 {
			return pipeline.Outcome{}, pipeline.Nonsense(in)
		}
		return pipeline.Outcome{}, nil
	}
	to := from + size
	switch {
	case digits == 0 || size > kvs.MaxValueBytes || in[from-2] != '\r' || in[from-1] != '\n':
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
