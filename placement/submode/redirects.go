package submode

import "dpukv/placement/submode/redirect"

// linuxRedirects stand in for an eSwitch: both work without a process of their own.
func linuxRedirects() []*datapath {
	offloaded := []string{SM4, SM5}
	return []*datapath{
		{
			name: "tcx", target: Linux, submodes: offloaded, is: "an eBPF redirect in traffic control (tcx)",
			substitute: "for the eSwitch: the CPU of the sender forwards, without Open vSwitch; the same for SM4 and SM5",
			has:        (*site).hasTCX, steps: (*site).tcxSteps, verify: (*site).verifyTCX, count: countTCX, filters: byTCProgram,
		},
		{
			name: "tc-u32", target: Linux, submodes: offloaded, is: "u32 and mirred of traffic control",
			substitute: "for the eSwitch: the CPU of the sender forwards, without Open vSwitch; the same for SM4 and SM5",
			has:        (*site).hasU32, steps: (*site).u32Steps, verify: (*site).verifyU32, count: countU32,
		},
	}
}

// redirect runs this program's own part on the node: see cmd/dpukv.
func (s *site) redirect(args ...string) []string {
	binary := s.cfg.Binary
	if binary == "" {
		binary = "dpukv"
	}
	return append([]string{binary, "redirect"}, args...)
}

func (s *site) hasTCX() []Step {
	return []Step{{
		Says: "a kernel that takes programs on tcx", Run: append([]string{"unshare", "--net"}, s.redirect("try")...),
		Else: "Linux 6.6 or later with CONFIG_BPF_SYSCALL and CONFIG_NET_XGRESS, and root's rights",
	}}
}

func (s *site) tcxSteps() []Step {
	ports, filter := s.ports(), []string{}
	for _, word := range s.cfg.Filter.Words() {
		filter = append(filter, "--filter="+word)
	}
	var list []Step
	for _, port := range ports {
		list = append(list, Step{
			Says: "our program on " + port + ", removed at the end",
			Undo: s.redirect("detach", port), Port: port,
		})
	}
	return append(list, Step{
		Says: "redirect between the ports",
		Run:  s.redirect(append([]string{"attach", ports[0], ports[1]}, filter...)...),
	})
}

func (s *site) verifyTCX() []Step {
	var list []Step
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: "one redirect on " + port, Run: s.redirect("count", port),
			Want: func(out string) error {
				c, err := parseTCX(out)
				if err == nil && c[port].Programs != 1 {
					err = found(c[port].Programs, "programs of ours", "1")
				}
				return err
			},
		})
	}
	return list
}

func (s *site) hasU32() []Step {
	return []Step{{
		Says: "a kernel with traffic control's u32 and mirred",
		Run: sh(`exec unshare --net sh -euc '
ip link add name v0 type veth peer name v1
tc qdisc add dev v0 ingress
tc filter add dev v0 parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev v1'`),
		Else: "a kernel with the modules cls_u32 and act_mirred, as Debian's has",
	}}
}

func (s *site) u32Steps() []Step {
	var list []Step
	for _, port := range s.ports() {
		list = append(list, s.ingress(port), Step{
			Says: "redirect it to " + s.other(port),
			Run: []string{
				"tc", "filter", "add", "dev", port, "ingress", "pref", u32Pref, "protocol", "all",
				"u32", "match", "u32", "0", "0",
				"action", "mirred", "egress", "redirect", "dev", s.other(port),
			},
			// Only if it is the one that this step made, alone at its preference.
			Undo: sh(`
ours=$(tc filter show dev "$1" ingress pref "$2")
test "$(printf '%s\n' "$ours" | grep -c 'key ht')" = 1 || exit 0
case $ours in *"match 00000000/00000000"*"Egress Redirect to device $3)"*) ;; *) exit 0 ;; esac
exec tc filter del dev "$1" ingress pref "$2"`,
				port, u32Pref, s.other(port)),
			Port: port,
		})
	}
	return list
}

// u32Pref is the preference of our filters, at which nobody else's are: our cookie's number.
const u32Pref = "55767"

// ingress makes room for filters on what comes in at a port. Where there was none before, it goes
// when nobody has a filter there.
func (s *site) ingress(port string) Step {
	return Step{
		Says: "a place for filters on what comes in at " + port,
		Run: sh(`test -n "$(tc qdisc show dev "$1" ingress)" || exec tc qdisc add dev "$1" ingress`,
			port),
		Found: sh(`case $(tc qdisc show dev "$1" ingress) in "") echo none ;; *) echo there ;; esac`,
			port),
		Sets: "there",
		Undo: withoutFilters(port), Port: port,
	}
}

// withoutFilters removes the place for filters of a port, if it is empty.
func withoutFilters(port string) []string {
	return sh(`
test -z "$(tc filter show dev "$1" ingress)$(tc filter show dev "$1" egress 2>/dev/null)" || exit 0
tc qdisc del dev "$1" ingress 2>/dev/null || tc qdisc del dev "$1" clsact 2>/dev/null || :`, port)
}

func (s *site) verifyU32() []Step {
	var list []Step
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: "a redirect on " + port, Run: []string{"tc", "filter", "show", "dev", port, "ingress"},
			Want: contains("Egress Redirect to device " + s.other(port)),
		})
	}
	return list
}

// tcxCounts are the programs' counts by interface, as "dpukv redirect count" prints them.
type tcxCounts map[string]redirect.Counts
