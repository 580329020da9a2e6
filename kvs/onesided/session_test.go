package onesided

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/kvstest"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

func start(t testing.TB, cfg kvs.ServerConfig) *herd.Server {
	t.Helper()
	return must.Keep(Start(&cfg))(t)
}

func dial(t testing.TB, addr string) *Remote {
	t.Helper()
	return must.Keep(Dial(t.Context(), addr, herd.Options{}))(t)
}

func do(t testing.TB, s kvs.Session, requests ...kvs.Request) []kvs.Answer {
	t.Helper()
	return kvstest.Do(t, s, hashOf, requests)
}

func key(i int) []byte { return fmt.Appendf(nil, "key-%012d", i) }

var narrow = kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1}

// TestReadsTakeNoServer checks that GETs of items that have a place cost the server no operation,
// whether it holds the value or points to it, and that the others are asked.
func TestReadsTakeNoServer(t *testing.T) {
	const n = 900
	for _, inlined := range []string{kvs.InlineYes, kvs.InlineNo} {
		t.Run("inline="+inlined, func(t *testing.T) {
			cfg := testConfig()
			cfg.Inline = inlined
			server := start(t, cfg)
			r := dial(t, server.Addr())
			s := kvstest.Open(t, r, narrow)
			var sets, gets []kvs.Request
			for i := range n {
				sets = append(sets, kvs.Request{Op: kvs.Set, Key: key(i), Value: numbered(uint64(i), i%200)})
				gets = append(gets, kvs.Request{Op: kvs.Get, Key: key(i)})
			}
			do(t, s, sets...)
			before := must.Get(server.Stats())(t)
			for i, a := range do(t, s, gets...) {
				if a.Status != kvs.OK || !bytes.Equal(a.Value, sets[i].Value) {
					t.Fatalf("GET %d: %s with %d bytes", i, a.Status, len(a.Value))
				}
				if a.SentNs == 0 || a.ReceivedNs < a.SentNs || a.IntendedNs != 0 {
					t.Fatalf("GET %d: due at %d, sent at %d, received at %d", i, a.IntendedNs, a.SentNs, a.ReceivedNs)
				}
			}
			after, tr := must.Get(server.Stats())(t), s.Traffic().Items
			asked := after.Ops() - before.Ops()
			t.Logf("%d of %d GETs were asked of the server, %d READs of %d bytes", asked, n, tr.Reads, tr.Bytes)
			if asked != tr.Asked || tr.Gets+tr.Asked != n || asked > n/20 {
				t.Errorf("the server counted %d operations, the client %+v", asked, tr)
			}
			if most := uint64(2*n) + tr.Retries; inlined == kvs.InlineNo && tr.Reads+10 < most-2*tr.Asked ||
				tr.Reads > most || tr.CheckedGets == 0 {
				t.Errorf("the client counted %+v", tr)
			}
		})
	}
}

// TestRestart reads across the end of a server and the start of the next one at the same address,
// with other values: no answer is wrong, the session ends with an error, and a new dial works.
func TestRestart(t *testing.T) {
	cfg := testConfig()
	server := start(t, cfg)
	cfg.Listen = server.Addr()
	r := dial(t, server.Addr())
	for round := range uint64(3) {
		s := kvstest.Open(t, r, narrow)
		for i := range 100 {
			do(t, s, kvs.Request{Op: kvs.Set, Key: key(i), Value: numbered(round, 8+i)})
		}
		ended := make(chan error)
		go func() { ended <- untilError(s, round) }()
		time.Sleep(time.Duration(round) * time.Millisecond)
		must.Do(t, server.Close())
		if err := <-ended; errors.Is(err, errWrong) || !strings.Contains(err.Error(), cfg.Listen) {
			t.Errorf("found %v", err)
		}
		server = start(t, cfg)
		r = dial(t, server.Addr())
	}
}

var errWrong = errors.New("a wrong answer")

func untilError(s kvs.Session, round uint64) error {
	for n := 0; ; n++ {
		k := key(n % 100)
		if _, err := s.Submit(&kvs.Request{Op: kvs.Get, Key: k, Hash: hashOf(k)}); err != nil {
			return err
		}
		if err := s.Flush(); err != nil {
			return err
		}
		answers, err := s.Poll(nil, 10*time.Millisecond)
		if err != nil {
			return err
		}
		for i := range answers {
			got, whole := number(answers[i].Value)
			if answers[i].Status != kvs.OK || !whole || got != round {
				return fmt.Errorf("%w: %s, %d of %d", errWrong, answers[i].Status, got, round)
			}
		}
	}
}

// TestClosedRegion closes the table under a reader: an error, and no answer.
func TestClosedRegion(t *testing.T) {
	there := must.Keep(provider.Open("shm", provider.Defaults))(t)
	here := must.Keep(provider.Open("shm", provider.Defaults))(t)
	cfg := testConfig()
	m := newMemory(&cfg)
	must.Do(t, m.Begin(there, &kvs.Facts{}))
	r := rigOf(t, m, &cfg, here)
	r.do(kvs.Set, key(1), numbered(1, 8))
	if got := must.Get(r.get([][]byte{key(1)}, nil))(t); len(got) != 1 || got[0].Status != kvs.OK {
		t.Fatalf("found %+v", got)
	}
	must.Do(t, m.region.Close())
	m.region = nil
	got, err := r.get([][]byte{key(1)}, nil)
	if err == nil || !strings.Contains(err.Error(), verbs.StatusRemoteAccess.String()) || len(got) > 0 {
		t.Errorf("found %+v, %v", got, err)
	}
}

// TestOtherTable has a reader that knows another server's seal: it believes nothing.
func TestOtherTable(t *testing.T) {
	r := newRig(t, testConfig(), "shm", "shm")
	r.do(kvs.Set, key(1), numbered(1, 8))
	r.lane.seals = newSeals(r.lane.Seed + 1)
	if got := must.Get(r.get([][]byte{key(1), key(2)}, nil))(t); len(got) > 0 || r.asked != 2 {
		t.Errorf("found %+v, %d asked", got, r.asked)
	}
}

// TestNoSuchServer names what a client finds that is no server of this store.
func TestNoSuchServer(t *testing.T) {
	server := must.Keep(herd.Start(herd.Config{
		Listen: "127.0.0.1:0", Workers: 1, Items: 100, LogBytes: 1 << 20, Hash: Store.Study.Hash,
	}))(t)
	_, err := Dial(t.Context(), server.Addr(), herd.Options{})
	must.Fail(t, err, "found a server of herd, allowed: one of onesided")
}

// TestRefusals checks what a server refuses: settings, and questions for impossible queue pairs.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*kvs.ServerConfig)
		want   string
	}{
		"few places": {
			func(c *kvs.ServerConfig) { c.Neighbourhood = 1 },
			"found 1, allowed: auto, or a whole number from 2 to 32",
		},
		"many places": {func(c *kvs.ServerConfig) { c.Neighbourhood = 64 }, "neighbourhood: found 64"},
		"inline":      {func(c *kvs.ServerConfig) { c.Inline = "maybe" }, "inline: found maybe, allowed: yes or no"},
		"validate": {
			func(c *kvs.ServerConfig) { c.ReadCheck = "lines" },
			"validate: found lines, allowed: checksum or none",
		},
		"memory": {func(c *kvs.ServerConfig) { c.MemoryBytes = 1 << 20 }, "memory: found 1048576 bytes"},
		"mode":   {func(c *kvs.ServerConfig) { c.Mode = "none" }, "mode: found"},
	} {
		cfg := testConfig()
		c.change(&cfg)
		if s, err := Start(&cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, %v", name, s, err)
		}
	}
	server := start(t, testConfig())
	r := must.Keep(herd.Dial(t.Context(), server.Addr(), herd.Options{}))(t)
	for _, x := range []*badQuestion{{}, {qp: verbs.Endpoint{QPN: 1, Type: verbs.RC}}} {
		if s, err := r.OpenExtended(narrow, x); err == nil || !strings.Contains(err.Error(), "says: ") {
			t.Errorf("found %v, %v", s, err)
		}
	}
	good := dial(t, server.Addr())
	do(t, kvstest.Open(t, good, narrow), kvs.Request{Op: kvs.Get, Key: key(1)})
}

// badQuestion asks for an impossible queue pair.
type badQuestion struct{ qp verbs.Endpoint }

func (b *badQuestion) Ask() (any, error)    { return question{QP: b.qp}, nil }
func (b *badQuestion) Granted([]byte) error { return nil }
func (b *badQuestion) Collect(a []kvs.Answer) ([]kvs.Answer, error) {
	return a, nil
}

// TestConformanceOfNasty gives requests and READs effect in any order that a model permits.
func TestConformanceOfNasty(t *testing.T) {
	names := []string{"shm:nasty=last-word,seed=1", "shm:nasty=pcie,seed=1,inline=-1"}
	if testing.Short() {
		names = names[1:]
		t.Log("a short run: one model")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			server := start(t, kvs.ServerConfig{
				Listen: "127.0.0.1:0", Workers: 1, Items: 4096, KeyBytes: kvs.MaxKeyBytes, ValueBytes: 500,
				Setup: kvs.Setup{Mode: "store"}, Hash: Store.Study.Hash,
			})
			r := must.Keep(Dial(t.Context(), server.Addr(), herd.Options{Device: name}))(t)
			kvstest.Operations(t, r, kvstest.Limits{MaxValueBytes: 500, AnyOrder: true})
		})
	}
}
