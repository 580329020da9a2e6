package client

import (
	"math"
	"strings"
	"testing"
	"time"

	"dpukv/results"
)

// closedLoad is a closed loop of one thread, for a server that takes 20 µs for a batch.
func closedLoad(window, batch int) Config {
	cfg := simLoad()
	cfg.RateOps, cfg.Window, cfg.Batch = 0, window, batch
	return cfg
}

// ofKind returns the text of a point's warnings of a kind.
func ofKind(p *results.Point, kind results.Kind) (text string) {
	for _, w := range p.Warnings {
		if w.Kind == kind {
			text += w.Text
		}
	}
	return text
}

// TestInFlight: throughput × mean latency is what the windows hold, less what the client held back.
// A stall over an end of the period counts, or is said.
func TestInFlight(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, c := range []struct {
		name          string
		window, batch int
		server        simServer // the period is from 100 ms to 1100 ms
		share         float64
		warning       string // of what is in flight
	}{
		{"one", 1, 1, simServer{}, 1, ""},
		{"window", 16, 1, simServer{}, 1, ""},
		{"batches", 16, 8, simServer{}, 1, ""},
		{"client", 1, 8, simServer{thinkNs: 20_000}, 0.5, "the client held 0.5 of 1 batches back"},
		{"busy client", 16, 8, simServer{thinkNs: 80_000}, 0.75, "the client held 4.0 of 16"},
		{"quick client", 16, 8, simServer{thinkNs: 10_000}, 0.97, ""},
		{"stall", 16, 1, simServer{stallNs: 500 * ms, stallEndNs: 700 * ms}, 1, ""},
		{"stall at end", 16, 1, simServer{stallNs: 900 * ms, stallEndNs: 1200 * ms}, 1, ""},
		{"two stalls", 16, 1, simServer{
			stallNs: 400 * ms, stallEndNs: 600 * ms, stall2Ns: 950 * ms, stall2EndNs: 1200 * ms,
		}, 0.85, "a stall crosses the end of the measurement period, and no latency has its length"},
		{
			"stall at begin", 16, 1,
			simServer{stallNs: 50 * ms, stallEndNs: 120 * ms},
			1.05,
			"a stall crosses the begin of the measurement period",
		},
	} {
		c.server.serviceNs = 20_000
		p := simulate(t, closedLoad(c.window, c.batch), &c.server).Point
		if p.Status != results.StatusOK || math.Abs(p.InFlightShare-c.share) > 0.005 {
			t.Errorf("%s: share %v of the windows, want %v (%s)", c.name, p.InFlightShare, c.share, p.Error)
		}
		if mean := p.ThroughputOps * p.MeanNs / 1e9; p.InFlightMean != mean ||
			math.Abs(p.InFlightShare*float64(c.window*c.batch)-mean) > 1e-9 {
			t.Errorf("%s: %v in flight, a share of %v, throughput × mean latency is %v", c.name,
				p.InFlightMean, p.InFlightShare, mean)
		}
		text := ofKind(&p, results.InFlight)
		if (text == "") != (c.warning == "") || !strings.Contains(text, c.warning) {
			t.Errorf("%s: warned %q, want %q", c.name, text, c.warning)
		}
	}
}

// TestUnansweredCount: the server stops for the last 200 ms. What is in flight then counts with its
// age, as a lower bound of its latency.
func TestUnansweredCount(t *testing.T) {
	for _, c := range []struct {
		window, batch int
		from          float64
		warning       string
	}{
		{16, 1, 100, "16 operations were in flight then, for up to 200"},
		{64, 16, 99.9, "lower bounds from p99.9 on"},
	} {
		s := &simServer{serviceNs: 20_000, stallNs: 900e6, stallEndNs: 1200e6}
		p := simulate(t, closedLoad(c.window, c.batch), s).Point
		if p.UnansweredOps != uint64(c.window*c.batch) || p.MaxNs < 200e6 || p.Actual != p.Latency ||
			p.LatencyLowerBoundFrom != c.from || p.P99Ns > 1_300_000 {
			t.Errorf("window %d: %d unanswered, latency %+v, lower bounds from %v", c.window,
				p.UnansweredOps, p.Latency, p.LatencyLowerBoundFrom)
		}
		if text := ofKind(&p, results.LowerBounds); !strings.Contains(text, c.warning) {
			t.Errorf("window %d: warned %q, want %q", c.window, text, c.warning)
		}
	}
}

// TestYoungRequestsSayNothing: what is in flight at the end of a steady load is no lower bound, and
// an open loop counts what is late in other ways.
func TestYoungRequestsSayNothing(t *testing.T) {
	for _, rate := range []float64{0, 10_000} {
		cfg := closedLoad(16, 1)
		cfg.RateOps = rate
		p := simulate(t, cfg, &simServer{serviceNs: 20_000}).Point
		if p.UnansweredOps != 0 || p.LatencyLowerBoundFrom != 0 || (p.InFlightMean > 0) != (rate == 0) {
			t.Errorf("rate %v: %d unanswered, lower bounds from %v, %v in flight", rate, p.UnansweredOps,
				p.LatencyLowerBoundFrom, p.InFlightMean)
		}
	}
}
