package placement

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/placement/submode"
	"dpukv/placement/submode/packetfilter"
)

// filters are a submode's work on the path, in the words of packetfilter.Parse.
var filters = codec[string]{
	parse: func(s string) (string, error) {
		f, err := packetfilter.Parse(strings.Fields(s))
		if err != nil || s == "" {
			return "", errNotAllowed
		}
		return f.String(), nil
	},
	format: func(s string) string {
		if s == "" {
			return "none"
		}
		return s
	},
	allowed: packetfilter.Words,
}

// workOnPath was read by the codec.
func workOnPath(text string) packetfilter.Filter {
	f, _ := packetfilter.Parse(strings.Fields(text))
	return f
}

// checkSubmodes refuses what the testbed, a placement or a store does not allow.
func checkSubmodes(s *Sweep, t *Testbed) (errs []error) {
	for _, name := range s.Submodes {
		for _, placement := range s.Placements {
			for _, f := range s.Filters {
				if err := checkSubmode(s, t, name, placement, workOnPath(f)); err != nil {
					errs = append(errs, fmt.Errorf("%ssubmodes: %s with %s: %w", s.place("submodes", name), name, placement, err))
					break
				}
			}
		}
	}
	return errs
}

func checkSubmode(s *Sweep, t *Testbed, name, placement string, f packetfilter.Filter) error {
	if !submode.OnPath(name) && f.String() != "" {
		return fmt.Errorf("found filter %s: there is no DPU on the path, allowed: with an on-path submode", f)
	}
	if name == submode.OffPath {
		return nil
	}
	if err := checkFilterOfStores(s, &f); err != nil {
		return err
	}
	c, err := t.cast(placement)
	if err != nil {
		return nil //nolint:nilerr // said elsewhere
	}
	if c.server.Kind != kindHost {
		return fmt.Errorf("found the server on %s, allowed: on a host, to which the way leads through its DPU", c.server.Name)
	}
	for i := range c.clients {
		if n := &c.clients[i]; n.Of == c.server.Name || n.Name == c.server.Name || name == submode.Direct && n.Kind != kindHost {
			return fmt.Errorf("found a client on %s, allowed: on a machine that the way to %s starts from", n.Name, c.server.Name)
		}
	}
	if name == submode.Direct {
		return checkDirect(&c)
	}
	if err := checkRDMA(s, &c, name); err != nil {
		return err
	}
	dpu := t.dpuOf(c.server.Name)
	if dpu == nil {
		return fmt.Errorf("found no DPU in %s, allowed: a testbed with a node {kind: dpu, of: %s}", c.server.Name, c.server.Name)
	}
	if dpu.made() != c.server.made() {
		return fmt.Errorf("found only one of %s and %s with a namespace of its own, allowed: both made by the sweep, or none", dpu.Name, c.server.Name)
	}
	if _, err := dpu.submode(name, "", nil, f); err != nil {
		return fmt.Errorf("%snode %s: %w", t.place(dpu.Name), dpu.Name, err)
	}
	return nil
}

// checkRDMA: an RDMA NIC's packets never reach the CPU of a DPU in their way, while softroce's are UDP like any other.
func checkRDMA(s *Sweep, c *cast, name string) error {
	if name == submode.SM4 || !slices.ContainsFunc(s.Stores, func(store string) bool { return stores[store].rdma }) {
		return nil
	}
	for _, n := range c.all() {
		device, err := c.device(n)
		if err != nil {
			return nil //nolint:nilerr // said elsewhere
		}
		if !strings.HasPrefix(device, "softroce") {
			return fmt.Errorf("found a store over RDMA with the device %s of node %s, allowed: rdma: {device: softroce}, stores over TCP, or %s: "+
				"an RDMA NIC's packets pass an on-path DPU in its eSwitch only", device, n.Name, submode.SM4)
		}
	}
	return nil
}

// checkFilterOfStores: only HERD's requests say in their packets' headers, or in one place of them, what a filter asks for.
func checkFilterOfStores(s *Sweep, f *packetfilter.Filter) error {
	if !f.ReadsRequests() {
		return nil
	}
	for _, store := range s.Stores {
		if !stores[store].rdma {
			return fmt.Errorf("found filter %s with store %s, allowed: with herd. The requests of %s lie in a TCP stream, whose segments begin anywhere in a request and hold those for other keys, too: "+
				"one that is dropped is sent again for ever, and holds up all behind it", f, store, store)
		}
	}
	return nil
}

// checkDirect: only hosts that the sweep makes can be joined otherwise for one point than for another.
func checkDirect(c *cast) error {
	for _, n := range c.all() {
		if !n.made() {
			return fmt.Errorf("found node %s, which is not made by the sweep, allowed: via: netns without namespace. Another cable between hosts is another testbed, with submode off-path", n.Name)
		}
	}
	return nil
}

func (p *Plan) describeSubmode(w io.Writer, dpu *Node, name string, f packetfilter.Filter) {
	forwards := dpu.Datapath.Chosen[name]
	if forwards == "" {
		forwards = strings.Join(submode.ByDefault(dpu.target(), name, f), ", else ")
	}
	does, options := "", ""
	if !f.None() {
		does = " with filter " + f.String()
	}
	for _, word := range f.Words() {
		options += " --filter " + word
	}
	fmt.Fprintf(w, "%s on node %s%s: %s; its commands: dpukv submode plan %s --node %s --testbed %s%s\n", name, dpu.Name, does, forwards,
		strings.TrimPrefix(name, "sm"), dpu.Name, p.testbed.Name, options)
}

// describeSubmodes says what is set up on which DPU, and where its commands are shown.
func (p *Plan) describeSubmodes(w io.Writer) error {
	told := map[string]bool{}
	for _, placement := range p.sweep.Placements {
		c, err := p.testbed.cast(placement)
		if err != nil {
			return err
		}
		dpu := p.testbed.dpuOf(c.server.Name)
		for _, name := range p.sweep.Submodes {
			if !submode.OnPath(name) || told[name+dpu.Name] {
				continue
			}
			told[name+dpu.Name] = true
			for _, f := range p.sweep.Filters {
				p.describeSubmode(w, dpu, name, workOnPath(f))
			}
		}
	}
	if len(told) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}
