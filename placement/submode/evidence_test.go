package submode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/step"
)

// TestEvidenceWhileNothingComes: if packets come during a read, the counters are read again, for a
// while.
func TestEvidenceWhileNothingComes(t *testing.T) {
	for busy, want := range map[int]uint64{0: 1, 1: 2, 1000: maxReads} {
		came, reads := 0, 0
		node := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
			if argv[0] == "ip" {
				reads++
				stats := fmt.Sprintf(`"stats64":{"rx":{"packets":%d}}`, came)
				return `[{"ifname":"p0",` + stats + `},{"ifname":"pf0hpf",` + stats + `}]`, nil
			}
			came = min(came+1, busy) // a packet between the interfaces' counters and the datapath's
			return `{"p0":{"passed":1},"pf0hpf":{"passed":1}}`, nil
		}}
		s := mustNew(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx"})
		l := &Lease{setup: s.setup(s.datapath, "/x"), node: node}
		e, err := l.Evidence(t.Context())
		if err != nil || e.Came["p0"] != want-1 || reads > 2*maxReads {
			t.Errorf("%d packets in between: found %+v after %d reads, %v", busy, e, reads, err)
		}
	}
}

// movingCard is a BlueField whose counters move while it is looked at, in the time of a bubble. The
// driver returns the values of the last refresh to "ip -s link", and refreshes them later. The
// counters of rules and flows are samples of each full second. Only "ethtool -S" reads anew.
type movingCard struct {
	began   time.Time
	at      func(since time.Duration) traffic
	links   traffic   // what "ip -s link" says,
	refresh time.Time // until it is refreshed
}

// The times of a card: for a command, for a refresh after a read, and between two samples.
const (
	commandTime = 2 * time.Millisecond
	refreshTime = 100 * time.Millisecond
	sampleTime  = time.Second
)

func (m *movingCard) node() step.Node {
	return step.Node{Name: "dpu", Run: func(ctx context.Context, argv []string) (string, error) {
		time.Sleep(commandTime)
		since := time.Since(m.began)
		now := m.at(since)
		switch text := step.Quote(argv); {
		case strings.Contains(text, "ip -j -s"):
			if !m.refresh.IsZero() && time.Now().After(m.refresh) {
				m.links = m.at(m.refresh.Sub(m.began))
			}
			m.refresh = time.Now().Add(refreshTime)
			now.came = m.links.came
		case strings.Contains(text, "dump-flows"), strings.Contains(text, "tc -s"):
			now = m.at(since.Truncate(sampleTime))
		}
		fake := fakeCard{answers: append([][2]string{
			{"/proc/", "7 (forwarder) S 1 7 7 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 99 0"},
		}, now.says()...)}
		return fake.node().Run(ctx, argv)
	}}
}

// lease returns a lease of a datapath on the card.
func (m *movingCard) lease(t *testing.T, d *datapath) *Lease {
	t.Helper()
	m.began = time.Now()
	m.links = m.at(0)
	s := mustNew(t, Config{Submode: d.submodes[0], Target: BlueField, Datapath: d.name})
	return &Lease{setup: s.setup(d, "/x"), node: m.node()}
}

// TestCardCountersRest: a card's driver is one read late with its interfaces' counters, and samples
// those of rules and flows. The evidence has all of a load that just ended, and nothing of the one
// before.
func TestCardCountersRest(t *testing.T) {
	for d, done := range map[*datapath]traffic{
		blueFieldKernel:        {came: 10000, cpu: 10000, software: 10000},
		blueFieldDPDK:          {came: 10000, threads: 20000},
		blueFieldKernelOffload: {came: 10000, hardware: 10000, rules: 10000},
		blueFieldDPDKOffload:   {came: 10000, hardware: 10000},
	} {
		t.Run(d.submodes[0], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := 100 * time.Millisecond // of the load before this one: a preload
				loads := uint64(1)
				m := &movingCard{}
				m.at = func(since time.Duration) traffic {
					n := loads
					if since < end {
						n--
					}
					return traffic{
						came: n * done.came, cpu: n * done.cpu, hardware: n * done.hardware,
						software: n * done.software, threads: n * done.threads, rules: n * done.rules,
					}
				}
				l := m.lease(t, d)
				evidence := func() *Evidence {
					time.Sleep(time.Until(m.began.Add(end)))
					return must.Get(l.Evidence(t.Context()))(t)
				}
				was := evidence()
				end = time.Since(m.began) + 30*time.Millisecond
				loads++
				p, err := Prove(was, evidence())
				if err != nil || p.Packets["came/p0"] != 10000 {
					t.Errorf("found %+v, %v", p, err)
				}
			})
		})
	}
}

// TestCardCountersGrow: other traffic that does not end is an error with its place. A thousandth of
// a load is not.
func TestCardCountersGrow(t *testing.T) {
	const want = "asked for counters at rest, found in 3 reads that they still grow"
	for perMillisecond, fails := range map[float64]bool{0: false, 0.2: false, 100: true} {
		synctest.Test(t, func(t *testing.T) {
			m := &movingCard{at: func(since time.Duration) traffic {
				n := uint64(perMillisecond * float64(since.Milliseconds()))
				return traffic{came: n, hardware: n, rules: n}
			}}
			l := m.lease(t, blueFieldKernelOffload)
			was := must.Get(l.Evidence(t.Context()))(t)
			is := must.Get(l.Evidence(t.Context()))(t)
			err := is.judgeRest(was, uint64(10000))
			if (err != nil) != fails || fails && (!failsWith(err, want) ||
				!failsWith(err, "packets came in at p0") || !failsWith(err, "tcpdump -ni p0")) {
				t.Errorf("%g packets a millisecond: found %v", perMillisecond, err)
			}
		})
	}
}

// TestCardCountersStop: an interrupted sweep does not wait for a card.
func TestCardCountersStop(t *testing.T) {
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	fake := &fakeCard{}
	s := mustNew(t, Config{Submode: SM3, Target: BlueField})
	l := &Lease{setup: s.setup(s.datapath, "/x"), node: fake.node()}
	if _, err := l.Evidence(ctx); !errors.Is(err, why) || len(fake.asked) > 0 {
		t.Errorf("found %v after %q", err, fake.asked)
	}
}
