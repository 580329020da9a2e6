package kvstest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/kvs"
	"dpukv/kvs/mica"
)

// mutant changes a correct session in one way.
type mutant struct {
	kvs.Session
	options kvs.SessionOptions
	held    []kvs.Request // submitted to the mutant, and not yet to the session
	shared  []byte
	calls   int

	submit  func(m *mutant, r *kvs.Request) (bool, error)
	flush   func(m *mutant) error
	poll    func(m *mutant, answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error)
	close   func(m *mutant) error
	flight  func(m *mutant) int
	traffic func(m *mutant) kvs.Traffic
	moved   func(m *mutant) kvs.Moved
}

func (m *mutant) Submit(r *kvs.Request) (bool, error) {
	if m.submit == nil {
		return m.Session.Submit(r)
	}
	return m.submit(m, r)
}

func (m *mutant) Flush() error {
	if m.flush == nil {
		return m.Session.Flush()
	}
	return m.flush(m)
}

func (m *mutant) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	if m.poll == nil {
		return m.Session.Poll(answers, wait)
	}
	return m.poll(m, answers, wait)
}

func (m *mutant) Close() error {
	if m.close == nil {
		return m.Session.Close()
	}
	return m.close(m)
}

func (m *mutant) InFlight() int {
	if m.flight == nil {
		return m.Session.InFlight()
	}
	return m.flight(m)
}

func (m *mutant) Traffic() kvs.Traffic {
	if m.traffic == nil {
		return m.Session.Traffic()
	}
	return m.traffic(m)
}

func (m *mutant) Moved() kvs.Moved {
	if m.moved == nil {
		return m.Session.Moved()
	}
	return m.moved(m)
}

// each changes every answer of a poll.
func each(change func(m *mutant, a *kvs.Answer)) mutant {
	return mutant{poll: func(m *mutant, answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
		had := len(answers)
		answers, err := m.Session.Poll(answers, wait)
		for i := had; i < len(answers); i++ {
			change(m, &answers[i])
		}
		return answers, err
	}}
}

// polled changes the answers of a poll together.
func polled(change func(m *mutant, had, got []kvs.Answer) []kvs.Answer) mutant {
	return mutant{poll: func(m *mutant, answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
		got, err := m.Session.Poll(nil, wait)
		return change(m, answers, got), err
	}}
}

// faults are sessions with one fault each, and the check that must find it.
var faults = []struct {
	name, check string
	options     func(*kvs.SessionOptions) // of the session
	mutant      mutant
}{
	{name: "ignores the window", check: "window", options: func(o *kvs.SessionOptions) { o.Window = 1 }},
	{name: "keeps a larger window", check: "window", options: func(o *kvs.SessionOptions) { o.Window++ }},
	{
		name: "ignores the connections", check: "window",
		options: func(o *kvs.SessionOptions) { o.Connections = 1 },
	},
	{
		name: "puts the window of all connections on one", check: "moved",
		options: func(o *kvs.SessionOptions) { o.Window, o.Connections = o.Window*o.Connections, 1 },
	},
	{name: "sends each operation alone", check: "batch", options: func(o *kvs.SessionOptions) { o.Batch = 1 }},
	{name: "swaps two values", check: "values", mutant: polled(
		func(_ *mutant, had, got []kvs.Answer) []kvs.Answer {
			if len(got) > 1 {
				got[0].Value, got[1].Value = got[1].Value, got[0].Value
			}
			return append(had, got...)
		})},
	{name: "repeats an answer", check: "answers", mutant: polled(
		func(m *mutant, had, got []kvs.Answer) []kvs.Answer {
			if len(got) > 0 && m.calls == 0 {
				m.calls, got = 1, append(got, got[0])
			}
			return append(had, got...)
		})},
	{name: "loses an answer", check: "answers", mutant: polled(
		func(m *mutant, had, got []kvs.Answer) []kvs.Answer {
			if len(got) > 0 && m.calls == 0 {
				m.calls, got = 1, got[1:]
			}
			return append(had, got...)
		})},
	{
		name: "keeps 32 bits of a cookie", check: "answers",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.Cookie &= 1<<32 - 1 }),
	},
	{
		name: "forgets the operation", check: "answers",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.Op = kvs.Get }),
	},
	{
		name: "forgets the intended time", check: "clocks",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.IntendedNs = 0 }),
	},
	{
		name: "takes Submit for the send", check: "clocks",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.SentNs = a.IntendedNs }),
	},
	{
		name: "uses the wall clock", check: "clocks",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.ReceivedNs = time.Now().UnixNano() }),
	},
	{
		name: "receives before it sends", check: "clocks",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.ReceivedNs = a.SentNs - 1 }),
	},
	{
		name: "says found for every key", check: "outcomes",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.Status = kvs.OK }),
	},
	{
		name: "cuts long values", check: "values",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.Value = a.Value[:min(len(a.Value), 60000)] }),
	},
	{name: "cuts long keys", check: "keys", mutant: mutant{
		submit: func(m *mutant, r *kvs.Request) (bool, error) {
			cut := *r
			if r.Op == kvs.Set {
				cut.Key = r.Key[:min(len(r.Key), 200)]
			}
			return m.Session.Submit(&cut)
		},
	}},
	{
		name: "has another session's values", check: "two sessions",
		mutant: each(func(_ *mutant, a *kvs.Answer) { a.Value = []byte("session 7 0") }),
	},
	{name: "refers to the caller's key", check: "copies", mutant: mutant{
		submit: func(m *mutant, r *kvs.Request) (bool, error) {
			m.held = append(m.held, *r)
			return true, nil
		},
		flush: func(m *mutant) error {
			for i := range m.held {
				if ok, err := m.Session.Submit(&m.held[i]); err != nil || !ok {
					return fmt.Errorf("taken %v, %w", ok, err)
				}
			}
			m.held = nil
			return m.Session.Flush()
		},
	}},
	{name: "has one buffer for all values", check: "lasting values", mutant: each(
		func(m *mutant, a *kvs.Answer) {
			m.shared = append(m.shared[:0], a.Value...)
			a.Value = m.shared
		})},
	{name: "drops the answers it is given", check: "lasting values", mutant: polled(
		func(_ *mutant, _, got []kvs.Answer) []kvs.Answer { return got })},
	{
		name: "does not flush", check: "flush",
		mutant: mutant{flush: func(*mutant) error { return nil }},
	},
	{name: "executes what it refused", check: "refusal", mutant: mutant{
		submit: func(m *mutant, r *kvs.Request) (bool, error) {
			ok, err := m.Session.Submit(r)
			if !ok && err == nil {
				m.held = append(m.held, kvs.Request{
					Op: r.Op, Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value), Hash: r.Hash,
				})
			}
			return ok, err
		},
		poll: func(m *mutant, answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
			for len(m.held) > 0 {
				if ok, err := m.Session.Submit(&m.held[0]); err != nil || !ok {
					break
				}
				m.held = m.held[1:]
			}
			return m.Session.Poll(answers, wait)
		},
	}},
	{name: "counts nothing in flight", check: "window", mutant: mutant{
		flight: func(*mutant) int { return 0 },
	}},
	{name: "never counts down", check: "answers", mutant: mutant{
		flight: func(m *mutant) int { return m.Session.InFlight() + 1 },
	}},
	{name: "counts no traffic", check: "counters", mutant: mutant{
		traffic: func(*mutant) kvs.Traffic { return kvs.Traffic{} },
	}},
	{name: "has no socket", check: "moved", mutant: mutant{
		moved: func(*mutant) kvs.Moved { return kvs.Moved{} },
	}},
	{name: "answers when nothing was asked", check: "idle", mutant: polled(
		func(_ *mutant, had, got []kvs.Answer) []kvs.Answer {
			return append(append(had, got...), kvs.Answer{Cookie: 77})
		})},
	{name: "leaves a descriptor", check: "close", mutant: mutant{close: func(m *mutant) error {
		leaked, err := os.Open(os.DevNull)
		left = append(left, leaked)
		if err != nil {
			return err
		}
		return m.Session.Close()
	}}},
	{name: "leaves a goroutine", check: "close", mutant: mutant{close: func(m *mutant) error {
		go func() { <-released }()
		return m.Session.Close()
	}}},
	{
		name: "keeps no order", check: "order",
		options: func(o *kvs.SessionOptions) { o.KeepOrder = false },
	},
	{name: "accepts every size", check: "options", options: func(o *kvs.SessionOptions) {
		*o = kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}
	}},
}

var (
	left     []*os.File
	released = make(chan struct{})
)

// faulty is a remote whose sessions have a fault.
type faulty struct {
	kvs.Remote
	options func(*kvs.SessionOptions)
	mutant  mutant
}

func (f *faulty) Open(o kvs.SessionOptions) (kvs.Session, error) {
	m := f.mutant
	if m.options = o; f.options != nil {
		f.options(&o)
	}
	var err error
	m.Session, err = f.Remote.Open(o)
	return &m, err
}

// recorder takes the place of a test in which a check fails.
type recorder struct {
	testing.TB
	failures []string
	cleanup  []func()
}

func (r *recorder) Helper()                        {}
func (r *recorder) Cleanup(f func())               { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Error(args ...any)              { r.failures = append(r.failures, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, a ...any) { r.Error(fmt.Sprintf(format, a...)) }
func (r *recorder) Fatal(args ...any)              { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, a ...any) { r.Fatal(fmt.Sprintf(format, a...)) }
func (r *recorder) Skipf(format string, a ...any)  { r.TB.Skipf(format, a...) }

// run runs a check of a remote, and returns its failures.
func run(t *testing.T, c check, remote kvs.Remote, limit time.Duration) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := range r.cleanup {
				r.cleanup[len(r.cleanup)-1-i]()
			}
		}()
		c.do(newEnv(r, remote, Limits{Timeout: limit}))
	}()
	<-done
	return r.failures
}

func start(t *testing.T) kvs.Remote {
	var c Config
	return c.dial(t, &mica.Store, c.start(t, &mica.Store).Addr())
}

// TestFaultsAreFound checks that each check finds the faults that it is for.
func TestFaultsAreFound(t *testing.T) {
	remote := start(t)
	t.Cleanup(func() {
		close(released)
		for _, f := range left {
			f.Close()
		}
	})
	byName := map[string]check{}
	for _, c := range checks {
		byName[c.name] = c
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if f.check == "moved" {
				kernel.NeedTCPInfo(t)
			}
			const short = time.Second // some faults are answers that never come
			found := run(t, byName[f.check], &faulty{remote, f.options, f.mutant}, short)
			if len(found) == 0 {
				t.Errorf("the check %q found nothing", f.check)
			}
			t.Log(strings.Join(found, "\n"))
		})
	}
}

// TestEveryCheckHasAFault checks that no check passes whatever a session does.
func TestEveryCheckHasAFault(t *testing.T) {
	has := map[string]bool{}
	for _, f := range faults {
		has[f.check] = true
	}
	for _, c := range checks {
		if !has[c.name] {
			t.Errorf("no faulty session shows that the check %q can fail", c.name)
		}
	}
}

// ExampleConformance shows the test of a store.
func ExampleConformance() {
	var t *testing.T // the test's
	if t != nil {
		Conformance(t, &mica.Store, Config{Server: kvs.ServerConfig{Workers: 2}})
	}
}
