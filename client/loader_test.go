package client

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
)

// echoSession answers each batch at once, from an array of values.
type echoSession struct {
	values  [][]byte
	batch   []kvs.Answer // at most a window of batches
	room    int
	traffic kvs.Traffic
}

func newEchoSession(cfg *Config) *echoSession {
	s := &echoSession{values: make([][]byte, cfg.Workload.Keys), room: cfg.Batch * cfg.Window}
	for i := range s.values {
		s.values[i] = make([]byte, cfg.Workload.ValueBytes)
		load.FillValue(s.values[i], uint64(i), 0)
	}
	return s
}

func (s *echoSession) Submit(r *kvs.Request) (bool, error) {
	if len(s.batch) == s.room {
		return false, nil
	}
	value := s.values[cookieKey(r.Cookie)]
	if r.Op == kvs.Set {
		copy(value, r.Value)
	}
	s.batch = append(s.batch, kvs.Answer{Op: r.Op, Value: value, Cookie: r.Cookie, IntendedNs: r.IntendedNs})
	return true, nil
}

func (s *echoSession) Flush() error { return nil }

func (s *echoSession) Poll(answers []kvs.Answer, _ time.Duration) ([]kvs.Answer, error) {
	now := cpu.NowNs()
	for i := range s.batch {
		s.batch[i].SentNs, s.batch[i].ReceivedNs = now-1000, now
	}
	answers = append(answers, s.batch...)
	s.batch = s.batch[:0]
	return answers, nil
}

func (s *echoSession) InFlight() int        { return len(s.batch) }
func (s *echoSession) Traffic() kvs.Traffic { return s.traffic }
func (s *echoSession) Moved() kvs.Moved     { return kvs.Moved{} }
func (s *echoSession) Close() error         { return nil }

// benchLoader returns a loader on an echo session, in the middle of its measurement period.
func benchLoader(b *testing.B, change func(*Config)) *loader {
	cfg := smallLoad(b)
	cfg.Threads, cfg.Batch, cfg.Window = 1, 64, 1
	cfg.Workload.GetRatio = 0.95
	change(&cfg)
	cfg.setDefaults()
	w := newThread(0, &cfg, "echo", new(atomic.Bool))
	w.session = newEchoSession(&cfg)
	w.ages = newAges(time.Hour, cpu.NowNs())
	now := cpu.NowNs()
	full := make(chan *histPair, pairsPerThread(true))
	return newLoader(w, period{startNs: now, fromNs: now, toNs: now + int64(time.Hour)}, full)
}

// benchLoad runs turns of a loader until b.N operations are answered.
func benchLoad(b *testing.B, l *loader, step func(int64) error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b.ReportAllocs()
	for l.inside.answered < uint64(b.N) {
		now := cpu.NowNs()
		must.Do(b, l.alive(now))
		l.tick(now)
		must.Do(b, step(now))
	}
	if l.inside.errors+l.inside.misses > 0 {
		b.Fatalf("%+v", l.inside)
	}
}

func BenchmarkThreadClosed(b *testing.B) {
	l := benchLoader(b, func(*Config) {})
	b.ResetTimer()
	benchLoad(b, l, l.closedStep)
}

func BenchmarkThreadClosedZipf(b *testing.B) {
	l := benchLoader(b, func(c *Config) { c.Workload.Dist = load.Zipf(0.99) })
	b.ResetTimer()
	benchLoad(b, l, l.closedStep)
}

// BenchmarkThreadOpen uses a rate that the thread never reaches, so that the time per operation
// shows.
func BenchmarkThreadOpen(b *testing.B) {
	l := benchLoader(b, func(c *Config) { c.RateOps = 1e9 })
	b.ResetTimer()
	benchLoad(b, l, l.openStep)
}

// BenchmarkGenerate measures the work per operation before the session gets it: drawing, key, hash,
// value.
func BenchmarkGenerate(b *testing.B) {
	for _, dist := range []load.Dist{load.Uniform, load.Zipf(0.99)} {
		b.Run(string(dist), func(b *testing.B) {
			l := benchLoader(b, func(c *Config) { c.Workload.Dist = dist })
			b.ReportAllocs()
			for b.Loop() {
				if key, get := l.gen.Next(); get {
					l.prepare(kvs.Get, key)
				} else {
					l.prepare(kvs.Set, key)
					l.value(key, l.nextVersion(key))
				}
			}
		})
	}
}
