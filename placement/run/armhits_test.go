package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
	"dpukv/placement/sweep"
	"dpukv/results"
)

func pointIn(name string) *sweep.Point {
	return &sweep.Point{Config: sweep.Config{Submode: name}}
}

// TestArmHits: packets that came to the Arm's cores before the load do not count. Few are the first
// ones of flows, many are a switch in software, and a card without counters is a warning.
func TestArmHits(t *testing.T) {
	for name, c := range map[string]struct {
		hits       [2]uint64 // before, after
		fails      bool
		want, warn string
	}{
		"offloaded":   {hits: [2]uint64{5000, 5020}},
		"in software": {hits: [2]uint64{5000, 5900}, want: "found 900 packets at the cores of dpuB, of 1000"},
		"no counters": {fails: true, warn: "is not proven: node dpuB"},
	} {
		n := 0
		arm := step.Node{Name: "dpuB", Run: func(context.Context, []string) (string, error) {
			n++
			if c.fails {
				return "", errors.New("no such command")
			}
			return fmt.Sprintf(`[{"ifname":"p0","stats64":{"rx":{"packets":%d}}}]`, c.hits[n-1]), nil
		}}
		cards := pointCards{{machines.HostCard{Host: "hostB", ReadOn: "dpuB"}}}
		h := newArmHits(cards, func(string) *step.Node { return &arm })
		h.begin(t.Context())
		p := &results.Point{}
		p.ClientMovedLoad.Sockets = results.Packets{SentPackets: 400, ReceivedPackets: 600}
		err := h.end(t.Context(), p)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if got := strings.Join(p.Warnings, "\n"); (got != "") != (c.warn != "") || !strings.Contains(got, c.warn) {
			t.Errorf("%s: got the warnings %q, want %q", name, got, c.warn)
		}
		if name == "offloaded" && p.Evidence["cpu-hit/dpuB/p0"] != 20 {
			t.Errorf("%s: got the evidence %v", name, p.Evidence)
		}
	}
	byHost := pointCards{{machines.HostCard{Host: "hostB", ReadOn: "hostB"}}}
	h := newArmHits(byHost, func(string) *step.Node { return nil })
	h.begin(t.Context())
	p := &results.Point{}
	if err := h.end(t.Context(), p); err != nil || len(p.Warnings) != 1 ||
		!strings.Contains(p.Warnings[0], submode.OffPathSF) {
		t.Errorf("got %v, %q", err, p.Warnings)
	}
}
