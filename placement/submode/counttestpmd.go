package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// countTestpmd asks for statistics through the pipe, and reads on in the log until they are there.
func countTestpmd(ctx context.Context, s *site, n Node, e *Evidence) error {
	deadline := time.Now().Add(10 * time.Second)
	out, err := n.Run(ctx, sh(`cd "$1" && wc -c <testpmd.log && printf 'show fwd stats all\nshow port stats all\n' >in`, s.dir))
	if err != nil {
		return err
	}
	from := strings.TrimSpace(out)
	for {
		out, err := n.Run(ctx, sh(`tail -c +"$2" "$1/testpmd.log"`, s.dir, from))
		if err != nil {
			return err
		}
		ports, err := parseTestpmd(out)
		if err != nil {
			return err
		}
		if len(ports) == len(s.ports()) {
			s.countPorts(ports, e)
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("dpdk-testpmd does not answer: found %q", shorten(out))
		}
		time.Sleep(glance)
	}
}

// countPorts: what came in at a port and was not given to the other one is what the filter dropped. Without a filter there is no
// such thing, but a packet between the two counters.
func (s *site) countPorts(ports []testpmdPort, e *Evidence) {
	for i, name := range s.ports() {
		in, out := ports[i], ports[1-i]
		e.Carried[name] = in.came
		if !s.cfg.Filter.None() {
			dropped := in.came - min(in.came, out.left+out.failed+out.noRoom)
			e.Carried[name] -= dropped
			e.Dropped += dropped
		}
	}
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
