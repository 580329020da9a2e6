package submode

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

func countTCX(ctx context.Context, s *site, n Node, e *Evidence) error {
	out, err := n.Run(ctx, s.redirect(append([]string{"count"}, s.ports()...)...))
	if err != nil {
		return err
	}
	counts, err := parseTCX(out)
	if err != nil {
		return err
	}
	for _, port := range s.ports() {
		c := counts[port]
		e.Carried[port] = c.Passed
		e.Dropped += c.Dropped
		e.Uncut += c.Uncut
		for op, n := range c.Opcodes {
			e.Opcodes[op] += n
		}
	}
	return nil
}

func parseTCX(out string) (c tcxCounts, err error) {
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		return nil, fmt.Errorf("redirect count: %w", err)
	}
	return c, nil
}

var mirredStats = regexp.MustCompile(`Egress Redirect to device (\S+)\)[^\n]*(?:\n[^\n]*)*?Sent \d+ bytes (\d+) pkt`)

func countU32(ctx context.Context, s *site, n Node, e *Evidence) error {
	for _, port := range s.ports() {
		out, err := n.Run(ctx, []string{"tc", "-s", "filter", "show", "dev", port, "ingress"})
		if err != nil {
			return err
		}
		e.Carried[port], err = parseMirred(out, s.other(port))
		if err != nil {
			return err
		}
	}
	return nil
}

// parseMirred sums up the packets that redirects to an interface took; none is no mistake, it is evidence.
func parseMirred(out, to string) (sum uint64, err error) {
	for _, m := range mirredStats.FindAllStringSubmatch(out, -1) {
		if m[1] != to {
			continue
		}
		v, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("tc -s filter: %w", err)
		}
		sum += v
	}
	return sum, nil
}

var nftCounter = regexp.MustCompile(`iifname "([^"]+)" counter packets (\d+)`)

// countBridge: netfilter counts what any bridge forwards, so what a port of another one took went elsewhere.
func countBridge(ctx context.Context, s *site, n Node, e *Evidence) error {
	out, err := n.Run(ctx, []string{"ip", "-j", "link", "show"})
	if err != nil {
		return err
	}
	all, err := links(out)
	if err != nil {
		return err
	}
	out, err = n.Run(ctx, []string{"nft", "list", "table", "bridge", bridge})
	if err != nil {
		return err
	}
	for _, m := range nftCounter.FindAllStringSubmatch(out, -1) {
		v, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return fmt.Errorf("nft list: %w", err)
		}
		if port := all[m[1]]; port.Master == bridge {
			e.Carried[m[1]] = v
		} else {
			e.Elsewhere[fmt.Sprintf("%s in bridge %q", m[1], port.Master)] = v
		}
	}
	return nil
}

func found(n int, what, allowed string) error {
	return fmt.Errorf("found %d %s, allowed: %s", n, what, allowed)
}
