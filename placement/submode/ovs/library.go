package ovs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"dpukv/placement/submode/step"
)

// Library is what an Open vSwitch forwards with. In NVIDIA's Open vSwitch, ports of type dpdk
// belong to DPDK or to DOCA, whichever the switch has initialized.
type Library string

// The libraries.
const (
	Kernel Library = "the kernel"
	DPDK   Library = "DPDK"
	DOCA   Library = "DOCA"
)

// Columns and keys of the table Open_vSwitch. Only NVIDIA's Open vSwitch has those of DOCA.
const (
	docaInit        = "doca-init"
	docaInitialized = "doca_initialized"
	dpdkInitialized = "dpdk_initialized"
)

// list returns the command that shows the switch's own state.
func (s Switch) list() []string { return s.Vsctl("--timeout=10", "list", "Open_vSwitch") }

// state is a row of the table Open_vSwitch: columns by their names.
type state map[string]string

var column = regexp.MustCompile(`(?m)^(\w+)\s*: (.*)$`)

func parseState(out string) (state, error) {
	row := state{}
	for _, m := range column.FindAllStringSubmatch(out, -1) {
		row[m[1]] = strings.TrimSpace(m[2])
	}
	if len(row) == 0 {
		return nil, fmt.Errorf("ovs-vsctl list Open_vSwitch: found %q", step.Shorten(out))
	}
	return row, nil
}

var docaAsked = regexp.MustCompile(`\b` + docaInit + `="?true"?`)

// asksForDOCA reports whether the switch will initialize DOCA when it starts.
func (r state) asksForDOCA() bool { return docaAsked.MatchString(r["other_config"]) }

// runs refuses a switch that forwards with another library, by what it has initialized.
func (r state) runs(l Library) error {
	doca, dpdk := r[docaInitialized] == "true", r[dpdkInitialized] == "true"
	switch {
	case l == DOCA && !doca:
		return fmt.Errorf("found an Open vSwitch without DOCA (%s: %q), allowed: with it",
			docaInitialized, r[docaInitialized])
	case l != DOCA && doca:
		return fmt.Errorf("found an Open vSwitch that runs OVS-DOCA (%s: true), allowed: %s",
			docaInitialized, l)
	case l == DPDK && !dpdk:
		return fmt.Errorf("found an Open vSwitch without DPDK (%s: %q), allowed: with it",
			dpdkInitialized, r[dpdkInitialized])
	}
	return nil
}

// versions names the switch and the libraries that it has initialized, as it tells them.
func (r state) versions() string {
	var list []string
	for _, c := range []struct {
		column, title string
		runs          bool
	}{
		{"ovs_version", "Open vSwitch", true},
		{"doca_version", "DOCA", r[docaInitialized] == "true"},
		{"dpdk_version", "DPDK", r[dpdkInitialized] == "true"},
	} {
		v := strings.Trim(r[c.column], `"`)
		if c.runs && v != "" && v != "[]" && v != "none" {
			list = append(list, c.title+" "+strings.TrimPrefix(v, c.title+" "))
		}
	}
	return strings.Join(list, ", ")
}

// expect returns a check of the switch's own state.
func expect(check func(state) error) func(string) error {
	return func(out string) error {
		row, err := parseState(out)
		if err == nil {
			err = check(row)
		}
		return err
	}
}

// LeaveDOCA are the commands by which a person ends OVS-DOCA. Without it, its bridges and ports may
// end ovs-vswitchd at its start. So they become the kernel's first, and the database is saved.
const LeaveDOCA = `cp /etc/openvswitch/conf.db /etc/openvswitch/conf.db.doca
for b in $(ovs-vsctl --bare --columns=name find bridge datapath_type=netdev); do
	ovs-vsctl --no-wait set bridge "$b" datapath_type=system
done
for p in $(ovs-vsctl --bare --columns=name find interface type=dpdk); do
	ovs-vsctl --no-wait set interface "$p" type=system -- clear interface "$p" options
done
ovs-vsctl --no-wait remove Open_vSwitch . other_config doca-init
systemctl restart openvswitch-switch`

// WithoutDOCA refuses a switch that runs OVS-DOCA, or will after its next start. It clears nothing:
// the card's other bridges may need it.
func (s Switch) WithoutDOCA() step.Step {
	return step.Step{
		Purpose: "an Open vSwitch without OVS-DOCA", Run: s.list(),
		Expect: expect(func(r state) error {
			if r.asksForDOCA() {
				return errors.New("found other_config:" + docaInit + "=true, with which ports " +
					"of type dpdk are OVS-DOCA's, allowed: false")
			}
			if r.runs(Kernel) != nil {
				return errors.New("found " + docaInitialized + ": true, so that ports of " +
					"type dpdk are OVS-DOCA's until the next start, allowed: false")
			}
			return nil
		}),
		Advice: "measure OVS-DOCA itself: datapath: {sm5: ovs-doca}; or by hand, in this order, " +
			"which interrupts all bridges of the card:\n" + LeaveDOCA,
	}
}

// KnowsDOCA refuses an Open vSwitch that is not built with DOCA.
func (s Switch) KnowsDOCA() step.Step {
	return step.Step{
		Purpose: "an Open vSwitch with OVS-DOCA in it", Run: s.list(),
		Expect: expect(func(r state) error {
			if _, ok := r[docaInitialized]; !ok {
				return fmt.Errorf("found no column %s in the table Open_vSwitch (%s), allowed: "+
					"NVIDIA's Open vSwitch of DOCA 2.0 or newer", docaInitialized, r.versions())
			}
			return nil
		}),
		Advice: "install NVIDIA's Open vSwitch, of the card's DOCA image; or measure OvS-DPDK: " +
			"datapath: {sm5: ovs-dpdk-offload}",
	}
}

// Runs expects the switch to forward with a library, by what it says that it has initialized.
func (s Switch) Runs(l Library) step.Step {
	return step.Step{
		Purpose: "Open vSwitch runs with " + string(l), Run: s.list(), Within: startTimeout,
		Expect: expect(func(r state) error { return r.runs(l) }),
		Advice: "see /var/log/openvswitch/ovs-vswitchd.log on the card",
	}
}

// Running returns the versions of a switch that forwards with a library.
func (s Switch) Running(ctx context.Context, n step.Node, l Library) (versions string, err error) {
	out, err := n.Run(ctx, s.list())
	if err != nil {
		return "", err
	}
	row, err := parseState(out)
	if err != nil {
		return "", err
	}
	return row.versions(), row.runs(l)
}
