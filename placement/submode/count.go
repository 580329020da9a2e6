package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// countNetdev: OvS without DPDK forwards in its main thread.
func countNetdev(ctx context.Context, s *site, n Node, e *Evidence) error {
	return countUserspace(ctx, s, n, e, false)
}

// countPMD: OvS-DPDK forwards in threads that poll.
func countPMD(ctx context.Context, s *site, n Node, e *Evidence) error {
	return countUserspace(ctx, s, n, e, true)
}

func countUserspace(ctx context.Context, s *site, n Node, e *Evidence, polling bool) error {
	out, err := n.Run(ctx, s.appctl("dpif-netdev/pmd-stats-show"))
	if err != nil {
		return err
	}
	threads, main, err := parsePMDStats(out)
	if err != nil {
		return err
	}
	e.Carried["ovs"], e.Elsewhere["its main thread"] = threads, main
	if !polling {
		e.Carried["ovs"], e.Elsewhere = main, nil
	}
	return s.countDropsOf(ctx, n, e, "ovs")
}

// parsePMDStats reads "packets received" of threads that poll, and of the main thread.
func parsePMDStats(out string) (threads, main uint64, err error) {
	var now *uint64
	seen := 0
	for line := range strings.Lines(out) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "pmd thread "):
			now = &threads
		case text == "main thread:":
			now = &main
		}
		if count, ok := strings.CutPrefix(text, "packets received:"); ok && now != nil {
			v, err := strconv.ParseUint(strings.TrimSpace(count), 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("pmd-stats-show: %w", err)
			}
			*now += v
			seen++
		}
	}
	if seen == 0 {
		return 0, 0, fmt.Errorf("pmd-stats-show: found no packets received: %s", shorten(out))
	}
	return threads, main, nil
}

var lookups = regexp.MustCompile(`lookups: hit:(\d+) missed:(\d+) lost:(\d+)`)

// parseLookups reads how many packets the kernel datapath has looked up.
func parseLookups(out string) (uint64, error) {
	m := lookups.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("dpctl/show: found no lookups: %s", shorten(out))
	}
	hit, err1 := strconv.ParseUint(m[1], 10, 64)
	missed, err2 := strconv.ParseUint(m[2], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("dpctl/show: found %q", m[0])
	}
	return hit + missed, nil
}

func kernelLookups(ctx context.Context, s *site, n Node) (uint64, error) {
	out, err := n.Run(ctx, s.appctl("dpctl/show", "system@ovs-system"))
	if err != nil {
		return 0, err
	}
	return parseLookups(out)
}

func countKernel(ctx context.Context, s *site, n Node, e *Evidence) (err error) {
	e.Carried["kernel datapath"], err = kernelLookups(ctx, s, n)
	if err != nil {
		return err
	}
	return s.countDropsOf(ctx, n, e, "kernel datapath")
}

// countFlower: the rules' own counts. What the kernel datapath looks up went past them.
func countFlower(ctx context.Context, s *site, n Node, e *Evidence) (err error) {
	if e.Elsewhere["kernel datapath"], err = kernelLookups(ctx, s, n); err != nil {
		return err
	}
	out, err := n.Run(ctx, s.appctl("dpctl/dump-flows", "-m", "type=all"))
	if err != nil {
		return err
	}
	e.Flows = parseFlows(out, "tc")
	return s.countDrops(ctx, n, e)
}

var (
	flowID    = regexp.MustCompile(`^ufid:([0-9a-f-]+)`)
	flowCount = regexp.MustCompile(`packets:(\d+)`)
	flowDP    = regexp.MustCompile(`dp:(\w+)`)
	flowDrops = regexp.MustCompile(`actions:drop`)
)

// parseFlows reads the packets of those flows that are in a part of the datapath: "tc", "ovs", "dpdk"; "": in any.
func parseFlows(out, dp string) map[string]uint64 {
	flows := map[string]uint64{}
	for line := range strings.Lines(out) {
		id, count, in := flowID.FindStringSubmatch(line), flowCount.FindStringSubmatch(line), flowDP.FindStringSubmatch(line)
		if id == nil || count == nil || dp != "" && (in == nil || in[1] != dp) || flowDrops.MatchString(line) {
			continue
		}
		if v, err := strconv.ParseUint(count[1], 10, 64); err == nil {
			flows[id[1]] += v
		}
	}
	return flows
}
