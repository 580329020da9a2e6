package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// testpmdLooks is how often the statistics are read where packets seem to have been dropped: one that is between two counters when they
// are read looks like that, too, but not for long.
const testpmdLooks = 3

// countTestpmd takes the look at which the fewest packets seem to have been dropped: those that were stay so.
func countTestpmd(ctx context.Context, s *site, n Node, e *Evidence) error {
	for look := 1; ; look++ {
		ports, err := askTestpmd(ctx, s, n)
		if err != nil {
			return err
		}
		if carried, dropped := s.countPorts(ports); look == 1 || dropped < e.Dropped {
			e.Carried, e.Dropped = carried, dropped
		}
		if e.Dropped == 0 || look == testpmdLooks {
			return nil
		}
		time.Sleep(glance)
	}
}

// askTestpmd asks for statistics through the pipe, and reads on in the log until they are there.
func askTestpmd(ctx context.Context, s *site, n Node) ([]testpmdPort, error) {
	deadline := time.Now().Add(10 * time.Second)
	out, err := n.Run(ctx, sh(`cd "$1" && wc -c <testpmd.log && printf 'show fwd stats all\nshow port stats all\n' >in`, s.dir))
	if err != nil {
		return nil, err
	}
	from := strings.TrimSpace(out)
	for {
		out, err := n.Run(ctx, sh(`tail -c +"$2" "$1/testpmd.log"`, s.dir, from))
		if err != nil {
			return nil, err
		}
		ports, err := parseTestpmd(out)
		if err != nil || len(ports) == len(s.ports()) {
			return ports, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("dpdk-testpmd does not answer: found %q", shorten(out))
		}
		time.Sleep(glance)
	}
}

// countPorts: what came in at a port and was not given to the other one is what the filter dropped. Without a filter there is no
// such thing.
func (s *site) countPorts(ports []testpmdPort) (carried map[string]uint64, dropped uint64) {
	carried = map[string]uint64{}
	for i, name := range s.ports() {
		in, out := ports[i], ports[1-i]
		carried[name] = in.came
		if !s.cfg.Filter.None() {
			lost := in.came - min(in.came, out.left+out.failed+out.noRoom)
			carried[name] -= lost
			dropped += lost
		}
	}
	return carried, dropped
}

// testpmdPort is what one port counted, in packets.
type testpmdPort struct {
	came, left, failed uint64
	noRoom             uint64 // for it, given up by the forwarding
}

var (
	testpmdStats   = regexp.MustCompile(`NIC statistics for port (\d+)[^\n]*\n\s*RX-packets:\s*(\d+)[^\n]*\n[^\n]*\n[^\n]*\n\s*TX-packets:\s*(\d+)\s+TX-errors:\s*(\d+)`)
	testpmdForward = regexp.MustCompile(`Forward statistics for port (\d+)[^\n]*\n[^\n]*\n\s*TX-packets:\s*\d+\s+TX-dropped:\s*(\d+)`)
)

// parseTestpmd reads both kinds of statistics; none while not all of them are there.
func parseTestpmd(out string) ([]testpmdPort, error) {
	stats, forward := testpmdStats.FindAllStringSubmatch(out, -1), testpmdForward.FindAllStringSubmatch(out, -1)
	if len(stats) != len(forward) {
		return nil, nil
	}
	ports := make([]testpmdPort, len(stats))
	for i := range ports {
		p := &ports[i]
		for value, text := range map[*uint64]string{&p.came: stats[i][2], &p.left: stats[i][3], &p.failed: stats[i][4], &p.noRoom: forward[i][2]} {
			var err error
			if *value, err = strconv.ParseUint(text, 10, 64); err != nil {
				return nil, fmt.Errorf("dpdk-testpmd's statistics: %w", err)
			}
		}
	}
	return ports, nil
}
