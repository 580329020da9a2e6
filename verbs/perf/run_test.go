package perf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/ibverbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// devices are those that can be opened here.
func devices(t *testing.T) []string {
	names := []string{"shm", "softroce:" + verbstest.Addr(0)}
	if err := ibverbs.Probe(); err != nil && os.Getenv("IBVERBS_REQUIRE") != "" {
		t.Fatal(err)
	} else if err != nil {
		t.Logf("without ibverbs: %v", err)
		return names
	}
	return append(names, "ibverbs")
}

func openDevice(t *testing.T, name string) verbs.Device {
	t.Helper()
	return must.Keep(provider.Open(name, provider.Defaults))(t)
}

// small is a run that takes moments.
func small(kind Kind, op Op, typ verbs.QPType) Config {
	c := Defaults(kind)
	c.Op, c.Connection, c.Iters, c.Sizes = op, typ, 300, []int{2, 7, 1024, 4096}
	return c
}

func TestEveryOperation(t *testing.T) {
	for _, name := range devices(t) {
		kind, _, _ := strings.Cut(name, ":")
		t.Run(kind, func(t *testing.T) {
			dev := openDevice(t, name)
			for _, kind := range []Kind{Latency, Bandwidth} {
				for typ, ops := range map[verbs.QPType][]Op{
					verbs.UC: {Write, Send}, verbs.UD: {Send},
					verbs.RC: {Write, Read, Send},
				} {
					for _, op := range ops {
						if name != "shm" && testing.Short() && op != ops[0] {
							t.Log("a short run: an operation of each type, but over shm")
							continue
						}
						t.Run(fmt.Sprint(kind, ",", op, ",", typ), func(t *testing.T) {
							checkRun(t, dev, small(kind, op, typ))
						})
					}
				}
			}
		})
	}
}

func checkRun(t *testing.T, dev verbs.Device, cfg Config) *Report {
	t.Helper()
	var seen int
	report := must.Get(Loopback(t.Context(), dev, cfg, Observer{Measured: func(*Point) { seen++ }}))(t)
	if len(report.Points) != len(cfg.Sizes) || seen != len(cfg.Sizes) {
		t.Fatalf("%d points, %d observed, want %d", len(report.Points), seen, len(cfg.Sizes))
	}
	for i := range report.Points {
		checkPoint(t, &cfg, &report.Points[i])
	}
	return report
}

func checkPoint(t *testing.T, cfg *Config, p *Point) {
	t.Helper()
	if want := cfg.Iters * cfg.QPs; cfg.Duration == 0 && p.Iters != want {
		t.Errorf("%d bytes: %d iterations, want %d", p.Bytes, p.Iters, want)
	}
	switch l, b := p.Latency, p.Bandwidth; {
	case cfg.Kind == Latency &&
		(b != nil || l == nil ||
			!(0 < l.Min && l.Min <= l.Typical && l.Typical <= l.P99 && l.P99 <= l.P999 && l.P999 <= l.Max)):
		t.Errorf("%d bytes: latency %+v", p.Bytes, l)
	case cfg.Kind == Bandwidth &&
		(l != nil || b == nil || !(0 < b.AverageMBs && b.AverageMBs <= b.PeakMBs && 0 < b.MsgMpps)):
		t.Errorf("%d bytes: bandwidth %+v", p.Bytes, b)
	}
	if said := strings.Join(p.Warnings, "; "); strings.Contains(said, " said ") {
		t.Errorf("%d bytes: events where nothing befalls a device: %s", p.Bytes, said)
	}
	if cfg.Kind == Bandwidth && cfg.Op == Send {
		if p.Arrived == nil || *p.Arrived > p.Iters || cfg.Connection == verbs.RC && *p.Arrived != p.Iters {
			t.Errorf("%d bytes: %v of %d arrived", p.Bytes, p.Arrived, p.Iters)
		} else if lost := *p.Arrived < p.Iters; lost != (len(p.Warnings) == 1) {
			t.Errorf("%d bytes: %d of %d arrived: warnings %q", p.Bytes, *p.Arrived, p.Iters, p.Warnings)
		}
	}
}

// TestDepths checks that no mixture of depths, lists and moderation blocks or counts wrong.
func TestDepths(t *testing.T) {
	dev := openDevice(t, "shm")
	for _, d := range []struct{ tx, list, mod, qps, inline int }{
		{1, 1, 1, 1, 0},
		{2, 2, 2, 1, 0},
		{128, 100, 128, 1, 0},
		{16, 16, 5, 3, 0},
		{7, 3, 7, 2, 0},
		{64, 32, 32, 4, 64},
	} {
		cfg := small(Bandwidth, Write, verbs.RC)
		cfg.TxDepth, cfg.PostList, cfg.CQMod, cfg.QPs, cfg.Inline = d.tx, d.list, d.mod, d.qps, d.inline
		t.Run(fmt.Sprintf("%+v", d), func(t *testing.T) { checkRun(t, dev, cfg) })
		cfg.Duration = 5 * time.Millisecond
		t.Run(fmt.Sprintf("%+v,5ms", d), func(t *testing.T) { checkRun(t, dev, cfg) })
	}
	cfg := small(Latency, Send, verbs.UD)
	cfg.TxDepth, cfg.RxDepth, cfg.Inline = 1, 1, 0
	checkRun(t, dev, cfg)
}

func TestDatagramsEndAtTheMTU(t *testing.T) {
	dev := openDevice(t, "shm")
	port := must.Get(dev.Port())(t)
	cfg := small(Latency, Send, verbs.UD)
	cfg.Sizes = AllSizes()
	report := must.Get(Loopback(t.Context(), dev, cfg, Observer{}))(t)
	if last := report.Points[len(report.Points)-1].Bytes; last != port.MTU {
		t.Errorf("the last point has %d bytes, want the MTU, %d", last, port.MTU)
	}
	cfg.Sizes = []int{port.MTU + 1}
	if _, err := Loopback(t.Context(), dev, cfg, Observer{}); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint(port.MTU)) {
		t.Errorf("a datagram longer than the MTU: %v", err)
	}
}

func TestConfigRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"UD":                        func(c *Config) { c.Connection = verbs.UD },
		"allowed: over RC":          func(c *Config) { c.Op, c.Connection = Read, verbs.UC },
		"QPs: found 2":              func(c *Config) { c.QPs = 2 },
		"iterations: found 0":       func(c *Config) { c.Iters = 0 },
		"post list: found 129":      func(c *Config) { c.PostList = 129 },
		"moderation":                func(c *Config) { c.CQMod = 0 },
		"8388609 bytes":             func(c *Config) { c.Sizes = []int{2, MaxBytes + 1} },
		"message sizes: found none": func(c *Config) { c.Sizes = nil },
		"duration":                  func(c *Config) { c.Duration = -1 },
		"inline":                    func(c *Config) { c.Inline = 1 << 20 },
	} {
		cfg := Defaults(Latency)
		spoil(&cfg)
		_, err := Loopback(t.Context(), openDevice(t, "shm"), cfg, Observer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", want, err)
		}
	}
}

// TestReportText checks that the columns are perftest's, in its order, and that the header names
// both ends.
func TestReportText(t *testing.T) {
	for kind, columns := range map[Kind]string{
		Latency: "#bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec] 99% " +
			"percentile[usec] 99.9% percentile[usec]",
		Bandwidth: "#bytes #iterations BW peak[MB/sec] BW average[MB/sec] MsgRate[Mpps]",
	} {
		report := checkRun(t, openDevice(t, "shm"), small(kind, Write, verbs.RC))
		var out bytes.Buffer
		must.Do(t, errors.Join(WriteHeader(&out, &report.Header), WritePoint(&out, &report.Points[0])))
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got := strings.Join(strings.Fields(lines[len(lines)-2]), " "); got != columns {
			t.Errorf("columns %q, want %q", got, columns)
		}
		if got, want := len(strings.Fields(lines[len(lines)-1])), len(report.values()); got != want {
			t.Errorf("%d values, want %d", got, want)
		}
		for _, want := range []string{
			"shm (emulated)", "memory", "4096[B]", report.Local.GID.String(),
			report.Peer.GID.String(),
		} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the header does not have %q:\n%s", want, out.String())
			}
		}
	}
}

// values are how many columns a point has.
func (r *Report) values() []struct{} {
	if r.Kind == Latency {
		return make([]struct{}, 9)
	}
	return make([]struct{}, 5)
}

func TestReportJSON(t *testing.T) {
	report := checkRun(t, openDevice(t, "shm"), small(Bandwidth, Send, verbs.UD))
	text := must.Get(json.Marshal(report))(t)
	var back Report
	must.Do(t, json.Unmarshal(text, &back))
	if back.Local != report.Local || len(back.Points) != len(report.Points) ||
		*back.Points[0].Bandwidth != *report.Points[0].Bandwidth {
		t.Errorf("read back %+v, want %+v", back, *report)
	}
}
