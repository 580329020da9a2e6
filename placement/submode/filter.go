package submode

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// Filter is packet work of our own on the path. The zero value does none.
type Filter struct {
	// DropClients are the addresses of clients whose packets to the host are dropped. One that nobody has costs the look, and
	// drops nothing.
	DropClients []netip.Addr
}

// FilterWords say what a filter may be asked for.
const FilterWords = "none, drop-client:ADDRESS (IPv4; several: with blanks between, or the first and the last as A-B)"

// What a filter may be asked for, and the reason against what cannot be had.
const (
	dropClient = "drop-client:"

	payload = "it lies in a TCP stream, whose segments begin anywhere in a request: neither an OpenFlow rule nor an eSwitch's looks there. Allowed: " +
		dropClient + "ADDRESS"
)

// ParseFilter reads words such as "drop-client:10.0.0.7"; "none" or no word is no filter.
func ParseFilter(words []string) (f Filter, err error) {
	for _, w := range words {
		kind, arg, _ := strings.Cut(w, ":")
		switch kind + ":" {
		case "none:":
		case dropClient:
			if err := f.drop(arg); err != nil {
				return f, fmt.Errorf("filter: found %q, allowed: %w", w, err)
			}
		case "drop-key-hash:":
			return f, fmt.Errorf("filter: found %q. A key's hash is not in a packet's headers: %s", w, payload)
		case "count-opcode:":
			return f, fmt.Errorf("filter: found %q. An operation's code is not in a packet's headers: %s", w, payload)
		default:
			return f, fmt.Errorf("filter: found %q, allowed: none, %sADDRESS", w, dropClient)
		}
	}
	return f, nil
}

// drop adds an address, or those from one to another.
func (f *Filter) drop(text string) error {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	a, err1 := netip.ParseAddr(first)
	z, err2 := netip.ParseAddr(last)
	if err1 != nil || err2 != nil || !a.Is4() || !z.Is4() || z.Less(a) {
		return errors.New("an IPv4 address, or the first and the last of some, as 192.0.2.1-192.0.2.9")
	}
	for ; a.Compare(z) <= 0; a = a.Next() {
		if len(f.DropClients) == mostRules {
			return fmt.Errorf("at most %d addresses", mostRules)
		}
		f.DropClients = append(f.DropClients, a)
		if a == z {
			return nil
		}
	}
	return nil
}

// String is the filter in the words of ParseFilter; "" for none.
func (f Filter) String() string {
	var words []string
	for i := 0; i < len(f.DropClients); {
		first, last := f.DropClients[i], f.DropClients[i]
		for i++; i < len(f.DropClients) && f.DropClients[i] == last.Next(); i++ {
			last = f.DropClients[i]
		}
		word := dropClient + first.String()
		if first != last {
			word += "-" + last.String()
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (f *Filter) none() bool { return len(f.DropClients) == 0 }

// mostRules is what an eBPF program's size allows with room to spare.
const mostRules = 1000

// check refuses what a submode cannot express.
func (f *Filter) check(c *Config) error {
	switch {
	case f.none():
		return nil
	case !OnPath(c.Submode):
		return fmt.Errorf("found filter %s: there is no DPU on the path, allowed: with an on-path submode", f)
	case c.Submode == SM3:
		return fmt.Errorf("found filter %s: testpmd's io mode forwards without a look at the packets, allowed: none", f)
	case len(f.DropClients) > mostRules:
		return fmt.Errorf("found a filter of %d rules, allowed: at most %d", len(f.DropClients), mostRules)
	}
	var able []string
	for _, d := range candidates(c.Target, c.Submode) {
		if d.filters {
			able = append(able, d.name)
		}
		if !d.filters && c.Datapath == d.name {
			return fmt.Errorf("found filter %s with datapath %s, which has no words for it, allowed: none", f, d.name)
		}
	}
	if len(able) == 0 {
		return errors.New("found a filter, allowed: none with this target")
	}
	return nil
}

// cookie marks our OpenFlow rules.
const cookie = "0xd9d7"

// filter are the steps that put the rules into OvS; tcx has them in its program.
func (s *site) filter() []Step {
	if s.cfg.Filter.none() || s.datapath.count == nil || !s.hasOpenFlow() {
		return nil
	}
	var list []Step
	for _, a := range s.cfg.Filter.DropClients {
		list = append(list, Step{
			Says: "drop what comes from " + a.String(),
			Run:  s.ofctl("add-flow", fmt.Sprintf("cookie=%s,priority=100,ip,nw_src=%s,actions=drop", cookie, a)),
		})
	}
	return list
}

func (s *site) hasOpenFlow() bool { return strings.HasPrefix(s.datapath.name, "ovs") }

var droppedByRule = regexp.MustCompile(`n_packets=(\d+)`)

// countDrops reads what our rules dropped.
func (s *site) countDrops(ctx context.Context, n Node, e *Evidence) error {
	if s.cfg.Filter.none() {
		return nil
	}
	out, err := n.Run(ctx, s.ofctl("dump-flows", "cookie="+cookie+"/-1"))
	if err != nil {
		return err
	}
	rules := droppedByRule.FindAllStringSubmatch(out, -1)
	if len(rules) != len(s.cfg.Filter.DropClients) {
		return found(len(rules), "of our rules in the bridge", strconv.Itoa(len(s.cfg.Filter.DropClients)))
	}
	for _, m := range rules {
		v, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return err
		}
		e.Dropped += v
	}
	return nil
}
