package submode

import "fmt"

// hasBridge tries what is needed in a namespace that goes with the command.
func (s *site) hasBridge() []Step {
	return []Step{s.noBridge(), {
		Says: "a kernel with a bridge, and counters of what it forwards (nft, family bridge)",
		Run: sh(`exec unshare --net sh -euc '
ip link add name br0 type bridge
nft "table bridge t { chain c { type filter hook forward priority 0; counter; }; }"'`),
		Else: "install Debian's nftables, or what your system calls it; a kernel with the modules bridge and nf_tables",
	}, {
		Says: "no table of our name in nftables",
		Run:  sh(`nft list table bridge "$1" 2>/dev/null || :`, bridge), Want: nothing,
		Else: "nft delete table bridge " + bridge + ", if nobody needs it",
	}}
}

// noBridge wants none of our name: what is there now is not ours to remove later.
func (s *site) noBridge() Step {
	return Step{
		Says: "no interface called " + bridge,
		Run:  []string{"ip", "-j", "link", "show"}, Want: lacks(bridge),
		Else: "ip link del " + bridge + ", if nobody needs it",
	}
}

// bridgeSteps count in a hook of netfilter, since a bridge does not count itself. Threaded polling gives it a CPU of its own.
func (s *site) bridgeSteps() []Step {
	list := []Step{
		{
			Says: "a bridge", Run: []string{"ip", "link", "add", "name", bridge, "type", "bridge", "mcast_snooping", "0"},
			Undo: sh(`ip link del "$1" 2>/dev/null || :`, bridge),
		},
		{
			Says: "a counter of what it forwards, by the port that it came in at",
			Run: []string{"nft", fmt.Sprintf(`table bridge %[1]s { chain forward { type filter hook forward priority 0; iifname "%[2]s" counter; iifname "%[3]s" counter; }; }`,
				bridge, s.cfg.Ports.Wire, s.cfg.Ports.Host)},
			Undo: sh(`nft delete table bridge "$1" 2>/dev/null || :`, bridge),
		},
	}
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: port + " into the bridge", Run: []string{"ip", "link", "set", "dev", port, "master", bridge},
			Found: sh(`ip -o link show dev "$1" | sed -n 's/.* master \([^ ]*\) .*/\1/p'`, port),
			Sets:  bridge,
			Undo:  []string{"ip", "link", "set", "dev", port, "nomaster"}, Port: port,
		})
	}
	return append(list, Step{Says: "the bridge up", Run: []string{"ip", "link", "set", "dev", bridge, "up"}})
}

func (s *site) verifyBridge() []Step {
	return []Step{{
		Says: "both ports are in the bridge and forward", Run: []string{"ip", "-d", "-j", "link", "show"}, Within: startPatience,
		Want: func(out string) error {
			all, err := links(out)
			for _, port := range s.ports() {
				if l := all[port]; err == nil && (l.Master != bridge || l.Info.Slave.State != "forwarding") {
					err = fmt.Errorf("found %s in %q, %q, allowed: in %s, forwarding", port, l.Master, l.Info.Slave.State, bridge)
				}
			}
			return err
		},
	}}
}
