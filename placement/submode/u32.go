package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"dpukv/placement/submode/step"
)

// u32 stands in for an eSwitch on kernels without tcx: rules of traffic control.
var u32 = &datapath{
	name: "tc-u32", target: Linux, submodes: []string{SM4, SM5},
	title:      "u32 and mirred of traffic control",
	substitute: senderForwards, forwarder: u32Forwarder{},
}

type u32Forwarder struct{ noFilter }

func (u32Forwarder) Check(*setup) []step.Step {
	return []step.Step{{
		Purpose: "a kernel with traffic control's u32 and mirred",
		Run: step.Shell(`exec unshare --net sh -euc '
ip link add name v0 type veth peer name v1
tc qdisc add dev v0 ingress
tc filter add dev v0 parent ffff: protocol all u32 match u32 0 0 ` +
			`action mirred egress redirect dev v1'`),
		Advice: "a kernel with the modules cls_u32 and act_mirred, as Debian's has",
	}}
}

// u32Preference is the preference of our filters alone: our cookie's number.
const u32Preference = "55767"

func (u32Forwarder) Steps(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, ingress(port), step.Step{
			Purpose: "redirect it to " + s.Ports.other(port),
			Run: []string{
				"tc", "filter", "add", "dev", port, "ingress", "pref", u32Preference,
				"protocol", "all", "u32", "match", "u32", "0", "0",
				"action", "mirred", "egress", "redirect", "dev", s.Ports.other(port),
			},
			// Removes the filter only if it is the one that this step made, alone at its
			// preference.
			Undo: step.Shell(`
ours=$(tc filter show dev "$1" ingress pref "$2")
test "$(printf '%s\n' "$ours" | grep -c 'key ht')" = 1 || exit 0
case $ours in *"match 00000000/00000000"*"Egress Redirect to device $3)"*) ;; *) exit 0 ;; esac
exec tc filter del dev "$1" ingress pref "$2"`,
				port, u32Preference, s.Ports.other(port)),
			Port: port,
		})
	}
	return list
}

func (u32Forwarder) Verify(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "a redirect on " + port,
			Run:     []string{"tc", "filter", "show", "dev", port, "ingress"},
			Expect:  step.Contains("Egress Redirect to device " + s.Ports.other(port)),
		})
	}
	return list
}

func (u32Forwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	for _, port := range s.ports() {
		out, err := n.Run(ctx, []string{"tc", "-s", "filter", "show", "dev", port, "ingress"})
		if err != nil {
			return err
		}
		if c.Carried[port], err = parseMirred(out, s.Ports.other(port)); err != nil {
			return err
		}
	}
	return nil
}

var mirredStats = regexp.MustCompile(
	`Egress Redirect to device (\S+)\)[^\n]*(?:\n[^\n]*)*?Sent \d+ bytes (\d+) pkt`)

// parseMirred sums up the packets that redirects to an interface took. None is no error: that is
// evidence, too.
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
