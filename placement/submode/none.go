package submode

import (
	"context"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// The submodes without a datapath on the DPU.
var (
	offPath = &datapath{
		name: "none", target: Linux, submodes: []string{OffPath},
		title: "host and DPU are peers on the network", forwarder: noForwarder{},
	}
	cable = &datapath{
		name: "cable", target: Linux, submodes: []string{Direct},
		title: "a cable between the hosts, nothing on it", forwarder: noForwarder{},
	}
)

// noForwarder has nothing to set up and nothing to count.
type noForwarder struct{ noFilter }

func (noForwarder) Check(*setup) []step.Step                                { return nil }
func (noForwarder) Steps(*setup) []step.Step                                { return nil }
func (noForwarder) Verify(*setup) []step.Step                               { return nil }
func (noForwarder) Count(context.Context, *setup, step.Node, *Counts) error { return nil }

// noFilter does no packet work.
type noFilter struct{}

func (noFilter) Filter(*packetfilter.Filter) error { return errNoFilter }
