package mica

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
)

// TestBadAnswers checks that illegal answers to two GETs are errors with a reason, and that none of
// their bytes becomes a value.
func TestBadAnswers(t *testing.T) {
	good := answerFrame(1, 2, 5)
	cases := map[string]struct {
		answer []byte
		want   string // empty: it is taken
	}{
		"as it should be":             {good, ""},
		"another sequence":            {answerFrame(2, 2, 5), "sequence 2 to 2 operations, allowed: 1 to 2"},
		"fewer operations":            {answerFrame(1, 1, 5), "sequence 1 to 1 operations, allowed: 1 to 2"},
		"more operations":             {answerFrame(1, 3, 5), "sequence 1 to 3 operations, allowed: 1 to 2"},
		"another kind":                {changed(good, 5, byte(kindStats)), "answers no request"},
		"another version":             {changed(good, 4, 9), "protocol version"},
		"shorter than a header":       {changed(good, 0, 15), "frame: found 15 bytes"},
		"no room for outcomes":        {control(kindAnswer, 1, make([]byte, 0)), "allowed: 1 to 2"},
		"a value beyond the frame":    {changed(good, headerBytes+2, 13, 0), "a value of 13 bytes"},
		"bytes after the last value":  {changed(good, headerBytes+2, 0, 0), "8 bytes after the last value"},
		"one answer too many":         {append(bytes.Clone(good), good...), "answers no request"},
		"a failure":                   {control(kindFailure, 0, []byte("no more")), "the server says: no more"},
		"too short for its outcomes":  {shortAnswer(), "allowed: at least 8"},
		"the connection ends instead": {nil, "closed the connection with 1 batches in flight"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := Dial(context.Background(), hostile(t, c.answer))
			must.Do(t, err)
			defer r.Close()
			s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 2, Window: 1, Connections: 1})
			for range 2 {
				if taken, err := s.Submit(&kvs.Request{Op: kvs.Get, Key: []byte("key")}); !taken || err != nil {
					t.Fatal(taken, err)
				}
			}
			var answers []kvs.Answer
			for deadline := time.Now().Add(5 * time.Second); err == nil && len(answers) < 2 &&
				time.Now().Before(deadline); {
				answers, err = s.Poll(answers, time.Second)
			}
			switch {
			case c.want == "" &&
				(err != nil || len(answers) != 2 || string(answers[0].Value) != "vvvvv" || answers[1].Value != nil):
				t.Errorf("%+v, %v", answers, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%+v, %v, want an error with %q", answers, err, c.want)
			}
		})
	}
}

// answerFrame answers a number of GETs: the first with a value, the others with none.
func answerFrame(sequence uint64, count, valueBytes int) []byte {
	b := make([]byte, answerHead(count)+padded(valueBytes))
	copy(b[answerHead(count):], bytes.Repeat([]byte("v"), valueBytes))
	binary.LittleEndian.PutUint32(b[headerBytes:], uint32(valueBytes)<<16)
	putHeader(b, header{bytes: len(b), kind: kindAnswer, count: count, sequence: sequence})
	return b
}

// shortAnswer has the right count, and no outcomes.
func shortAnswer() []byte {
	b := make([]byte, headerBytes)
	putHeader(b, header{bytes: len(b), kind: kindAnswer, count: 2, sequence: 1})
	return b
}

// hostile is a server with a valid welcome and one fixed answer to all requests; nil ends the
// connection.
func hostile(t *testing.T, answer []byte) (addr string) {
	t.Helper()
	l := must.Keep(net.Listen("tcp", "127.0.0.1:0"))(t)
	text, err := json.Marshal(welcome{
		Facts: kvs.Facts{
			Workers: 1, Partitions: 1, MaxBatch: MaxBatch, MaxFrameBytes: MaxFrameBytes, MinHitRate: 1,
			Store: "mica", Hash: "city64", Setup: kvs.Setup{Mode: "cache", Access: "erew"},
		},
		Ports: []int{l.Addr().(*net.TCPAddr).Port},
	})
	must.Do(t, err)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for reply := control(kindWelcome, 0, text); ; reply = answer {
					if _, _, err := readFrame(c); err != nil || reply == nil {
						return
					}
					if _, err := c.Write(reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}
