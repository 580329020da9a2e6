package ovs

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// The names of a switch's datapaths for ovs-appctl's dpctl. Without a name, dpctl fails on a switch
// with both: "multiple datapaths, specify one".
const (
	KernelDatapath = "system@ovs-system"
	NetdevDatapath = "netdev@ovs-netdev"
)

// docaDatapath begins the names of OVS-DOCA's datapath. Recent releases name it doca@ovs-doca.
const docaDatapath = "doca@"

var shownDatapath = regexp.MustCompile(`(?m)^((?:doca|netdev)@[^:\s]+):`)

// UserspaceDatapath returns the name of the switch's datapath for ports of type dpdk. OVS-DOCA has
// its own or, in older releases, OvS-DPDK's.
func (s Switch) UserspaceDatapath(ctx context.Context, n step.Node) (string, error) {
	out, err := n.Run(ctx, s.Appctl("dpif/show"))
	if err != nil {
		return "", err
	}
	return parseUserspace(out)
}

func parseUserspace(out string) (string, error) {
	name := ""
	for _, m := range shownDatapath.FindAllStringSubmatch(out, -1) {
		if name == "" || strings.HasPrefix(m[1], docaDatapath) {
			name = m[1]
		}
	}
	if name == "" {
		return "", fmt.Errorf("dpif/show: found no datapath in user space: %q, allowed: %s or "+
			"%sNAME; see: ovs-vsctl get bridge NAME datapath_type", step.Shorten(out),
			NetdevDatapath, docaDatapath)
	}
	return name, nil
}

// FlowCount is the count of a flow. A packet of the kernel's datapath may be many of the wire's,
// because GRO joined them.
type FlowCount struct{ Packets, Bytes uint64 }

// FlowCounts are counts by the flow's ID.
type FlowCounts map[string]FlowCount

// Offload are the flows of a datapath, by the place that forwards their packets.
type Offload struct {
	// Hardware are flows that the hardware forwards, without a CPU.
	Hardware FlowCounts
	// Partial are flows that the hardware only recognises. A CPU forwards their packets.
	Partial FlowCounts
	// CPU are flows that are not offloaded.
	CPU FlowCounts
}

// Offload returns the flows of a datapath whose packets come in at one of the ports. Flows that
// drop are left out.
func (s Switch) Offload(
	ctx context.Context, n step.Node, datapath string, ports []string,
) (*Offload, error) {
	out, err := n.Run(ctx, s.Appctl("dpctl/dump-flows", "-m", datapath, "type=all"))
	if err != nil {
		return nil, err
	}
	if numbered.MatchString(out) {
		shown, err := n.Run(ctx, s.Appctl("dpctl/show", datapath))
		if err != nil {
			return nil, err
		}
		out = namePorts(out, shown)
	}
	return parseOffload(out, ports), nil
}

var (
	numbered  = regexp.MustCompile(`in_port\((\d+)\)`)
	shownPort = regexp.MustCompile(`(?m)^\s+port (\d+): (\S+)`)
)

// namePorts puts names in the place of ports' numbers, which a switch prints where it lacks names.
func namePorts(flows, shown string) string {
	names := map[string]string{}
	for _, m := range shownPort.FindAllStringSubmatch(shown, -1) {
		names[m[1]] = m[2]
	}
	return numbered.ReplaceAllStringFunc(flows, func(text string) string {
		if name := names[numbered.FindStringSubmatch(text)[1]]; name != "" {
			return "in_port(" + name + ")"
		}
		return text
	})
}

var (
	flowPort      = regexp.MustCompile(`in_port\(([^)]*)\)`)
	flowBytes     = regexp.MustCompile(`bytes:(\d+)`)
	flowOffloaded = regexp.MustCompile(`offloaded:(\w+)`)
)

// parseOffload sums up the lines of a flow: each thread that polls has its own.
func parseOffload(out string, ports []string) *Offload {
	o := &Offload{Hardware: FlowCounts{}, Partial: FlowCounts{}, CPU: FlowCounts{}}
	for line := range strings.Lines(out) {
		id, in := flowID.FindStringSubmatch(line), flowPort.FindStringSubmatch(line)
		packets, bytes := flowCount.FindStringSubmatch(line), flowBytes.FindStringSubmatch(line)
		if id == nil || in == nil || packets == nil || bytes == nil ||
			!slices.Contains(ports, in[1]) || flowDrops.MatchString(line) {
			continue
		}
		p, err1 := strconv.ParseUint(packets[1], 10, 64)
		b, err2 := strconv.ParseUint(bytes[1], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		flows := o.of(line)
		flows[id[1]] = FlowCount{flows[id[1]].Packets + p, flows[id[1]].Bytes + b}
	}
	return o
}

// of returns the place of a dumped flow. An older Open vSwitch says "offloaded:yes" of partly
// offloaded flows, too, but their layer is "ovs": the switch's own.
func (o *Offload) of(line string) FlowCounts {
	offloaded, layer := flowOffloaded.FindStringSubmatch(line), flowPart.FindStringSubmatch(line)
	switch {
	case offloaded == nil:
		return o.CPU
	case offloaded[1] == "partial", layer != nil && layer[1] == "ovs":
		return o.Partial
	default:
		return o.Hardware
	}
}

// Packets returns the packets by the flow's ID.
func (f FlowCounts) Packets() map[string]uint64 {
	packets := map[string]uint64{}
	for id, c := range f {
		packets[id] = c.Packets
	}
	return packets
}

// Bytes returns the bytes by the flow's ID.
func (f FlowCounts) Bytes() map[string]uint64 {
	bytes := map[string]uint64{}
	for id, c := range f {
		bytes[id] = c.Bytes
	}
	return bytes
}
