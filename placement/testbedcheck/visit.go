package testbedcheck

import (
	"fmt"
	"strings"
	"time"

	"dpukv/placement/cardreport"
	"dpukv/placement/node"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// visit has the facts of one node.
type visit struct {
	node  *testbed.Node
	err   error // why it cannot be used; nothing else is known then
	hello *node.Hello
	found *node.Inspection
	ahead time.Duration // of its clock before the one here
	give  time.Duration // by how much that may be wrong

	model   string // of an emulated machine's cores
	process *node.Process
	reached *node.Reached     // what it reaches of the other nodes, and why not
	facts   *cardreport.Facts // nil: not asked for

	misplaced error // why a load to the node's address does not take the card
}

// rules returns a submode whose rules for addresses hold in the current mode of the card. In DPU
// mode, the Arm has an end of the load only if the testbed says so.
func (v *visit) rules() string {
	if v.node.Kind != testbed.KindDPU || v.found.Report.BlueField.CardMode() != card.DPU {
		return submode.OffPath
	}
	if _, own := v.node.Modes[card.DPU]; own {
		return submode.OffPathSF
	}
	return submode.SM1
}

// mode returns the mode of the node's BlueField; "" if there is none, or the mode is unknown.
func (v *visit) mode() string {
	if v.node.Emulated() || v.found.Report.BlueField == nil {
		return ""
	}
	return v.found.Report.BlueField.Mode
}

// linked returns a property of the interface with the node's address.
func (v *visit) linked(of func(*survey.Interface) string) string {
	if it := v.found.Report.HasAddress(v.node.Address); it != nil {
		return of(it)
	}
	return ""
}

func (v *visit) link() string {
	return v.linked(func(i *survey.Interface) string {
		text := strings.TrimSpace(i.Name + " " + i.Driver)
		if i.SpeedMbps > 0 {
			text += fmt.Sprintf(" %g Gb/s", float64(i.SpeedMbps)/1000)
		}
		if !i.Up {
			text += " DOWN"
		}
		return text
	})
}

func (v *visit) listens() string {
	if v.found.Error != "" {
		return "no: " + v.found.Error
	}
	if !v.node.Ports.Any() {
		return "yes, of " + v.node.Ports.String()
	}
	return "yes"
}
