package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// TestCoolDownCountsNothing: the load goes on for 300 ms after the measurement period, and the point
// is that of a client alone.
func TestCoolDownCountsNothing(t *testing.T) {
	const endNs, othersNs = 1100e6, 1400e6
	for name, change := range map[string]func(*Config, *simServer){
		"open loop":   func(*Config, *simServer) {},
		"closed loop": func(cfg *Config, _ *simServer) { cfg.RateOps, cfg.Batch, cfg.Window = 0, 8, 4 },
		"overload":    func(_ *Config, s *simServer) { s.serviceNs = 125_000 },
		"overload, parts of batches": func(cfg *Config, s *simServer) {
			cfg.Batch, cfg.Window, s.serviceNs = 7, 3, 1_000_000
		},
		"a stall at the end": func(_ *Config, s *simServer) { s.stallNs, s.stallEndNs = 1010e6, 1200e6 },
	} {
		if testing.Short() && strings.HasPrefix(name, "overload") {
			t.Log("a short run: no overload")
			continue
		}
		t.Run(name, func(t *testing.T) {
			var points [2]string
			for i, others := range []int64{0, othersNs} {
				cfg, s := simLoad(), &simServer{serviceNs: 20_000, othersNs: others, turnNs: 1000}
				change(&cfg, s)
				p := simulate(t, cfg, s).Point
				// These are of the real clock.
				p.ClientCPUShare, p.ClientBusyShare = 0, 0
				p.Warnings = slices.DeleteFunc(p.Warnings, func(w results.Warning) bool {
					return w.Kind == results.Spinning || w.Kind == results.ClientBound
				})
				points[i] = pointText(t, &p)
				if longer := s.lastNs >= othersNs-20e6; longer != (others > 0) {
					t.Errorf("others measure until %d: the last request left at %d, the period ends at %d", others,
						s.lastNs, int64(endNs))
				}
			}
			if points[0] != points[1] {
				t.Errorf("alone: %s\nwith a cool-down: %s", points[0], points[1])
			}
		})
	}
}

func pointText(t *testing.T, p *results.Point) string {
	t.Helper()
	text := must.Get(json.Marshal(p))(t)
	return string(text)
}

// TestCoolDownLastsUntilTold: of two clients, the one that ends earlier goes on until the other has
// ended, and its point says for how long. One that is not told ends at the limit, with a warning.
func TestCoolDownLastsUntilTold(t *testing.T) {
	for name, c := range map[string]struct {
		limit   time.Duration
		told    bool
		warning string
	}{
		"told":     {time.Minute, true, ""},
		"not told": {20 * time.Millisecond, false, "cool-down cut short: the load went on for "},
	} {
		t.Run(name, func(t *testing.T) {
			remote := newFakeRemote()
			leakFree(t, remote)
			cfg := smallLoad(t)
			cfg.MaxCoolDown = c.limit
			cfg.OnPeriodOver = func(ctx context.Context) error {
				first := remote.movedNow().Sockets.SentPackets
				for !c.told || remote.movedNow().Sockets.SentPackets < first+1000 { // the load goes on
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(time.Millisecond):
					}
				}
				return nil
			}
			p := mustRun(t, remote, cfg).Point
			if p.CoolDownNs <= 0 || !c.told && p.CoolDownNs < int64(c.limit) {
				t.Errorf("found a cool-down of %d ns", p.CoolDownNs)
			}
			if text := p.Warnings.String(); strings.Contains(text, "cool-down") != (c.warning != "") ||
				!strings.Contains(text, c.warning) {
				t.Errorf("found %q, want %q", text, c.warning)
			}
		})
	}
}

func TestCoolDownFails(t *testing.T) {
	remote := newFakeRemote()
	leakFree(t, remote)
	cfg := periodLoad(t)
	cfg.OnPeriodOver = func(context.Context) error { return errors.New("no orchestrator") }
	mustFail(t, remote, cfg, "no orchestrator")
}
