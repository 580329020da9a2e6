package halves

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestCheck checks what an ask may be.
func TestCheck(t *testing.T) {
	for want, a := range map[string]Ask{
		"version: found 0, allowed: 1": {Want: Facts},
		"version: found 2, allowed: 1": {Version: 2, Want: Facts},
		`want: found "", allowed`:      {Version: version},
		`want: found "all", allowed`:   {Version: version, Want: "all"},
	} {
		must.Fail(t, a.Check(), want)
	}
	for _, want := range []Want{Facts, Stats, Lane} {
		if err := (&Ask{Version: version, Want: want}).Check(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// half is a half that reads one ask, and says the same to each.
func half(t *testing.T, says string) (addr string, asked <-chan Ask) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	asks, done := make(chan Ask, 1), make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		var a Ask
		if err := json.NewDecoder(c).Decode(&a); err != nil {
			t.Error(err)
		}
		asks <- a
		_, _ = c.Write([]byte(says)) // the other end may hang up
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().String(), asks
}

// TestAsk checks that an ask has its version and its wish, and that the answer arrives.
func TestAsk(t *testing.T) {
	facts := must.Get(json.Marshal(kvs.Facts{Store: "mica", Workers: 1, Partitions: 3, MinHitRate: 1}))(t)
	addr, asked := half(t, string(facts)+"\n")
	if f, err := AskFacts(addr); err != nil || f.Store != "mica" || f.Partitions != 3 {
		t.Errorf("found %+v, %v", f, err)
	}
	if a := <-asked; a != (Ask{Version: version, Want: Facts}) {
		t.Errorf("asked %+v", a)
	}
	addr, asked = half(t, `{"cpu_ns":7}`+"\n")
	if s, err := AskStats(addr); err != nil || s.CPUNs != 7 {
		t.Errorf("found %+v, %v", s, err)
	}
	if a := <-asked; a.Want != Stats {
		t.Errorf("asked %+v", a)
	}
}

// answers are those that a half must not give, and the errors for them.
var answers = map[string]string{
	"it says: no \ufffd[31m":           `{"error":"no \u001b[31m"}` + "\n",
	"allowed: at most 1048576 bytes":   `"` + strings.Repeat("x", 4<<20) + `"` + "\n",
	"EOF":                              "",
	"unexpected EOF":                   `{"error":`,
	"invalid character":                "no\n",
	"cannot unmarshal array into Go v": "[1]\n",
}

// TestBadAnswers checks that each of them is an error that names the half, and its cause.
func TestBadAnswers(t *testing.T) {
	for want, says := range answers {
		t.Run(want, func(t *testing.T) {
			addr, _ := half(t, says)
			_, err := AskFacts(addr)
			must.Fail(t, err, want)
			must.Fail(t, err, "ask "+addr+" for its facts")
			addr, asked := half(t, says)
			_, err = Join(addr, Ask{Thread: 2}, nil)
			must.Fail(t, err, want)
			must.Fail(t, err, "ask "+addr+" for a lane")
			if a := <-asked; a != (Ask{Version: version, Want: Lane, Thread: 2}) {
				t.Errorf("asked %+v", a)
			}
		})
	}
}

// TestNobodyThere checks the error of an address without a half.
func TestNobodyThere(t *testing.T) {
	_, err := AskStats("127.0.0.1:1")
	must.Fail(t, err, "ask 127.0.0.1:1 for its stats")
	_, err = Join("127.0.0.1:1", Ask{}, nil)
	must.Fail(t, err, "127.0.0.1:1")
}
