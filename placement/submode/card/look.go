package card

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dpukv/placement/submode/step"
)

// generations maps the PCI IDs of the network functions (pci.ids, vendor 15b3). The host and the
// card see the same IDs.
var generations = map[string]string{"0xa2d2": "bf1", "0xa2d6": "bf2", "0xa2dc": "bf3"}

// Generation returns the generation of a network function's PCI ID; "": it is no BlueField's.
func Generation(id string) string { return generations[id] }

// Function is a network function of a BlueField, as the host or the card sees it.
type Function struct{ PCI, Generation string }

// Interface is a network interface of a node.
type Interface struct {
	Name      string
	Addresses []string
	Master    string   // of which it is a port, as of Open vSwitch's ovs-system; "": none
	device    string   // its device's path in sysfs; "": it has none
	lower     []string // the interfaces that it stands on, as a VLAN's or a bond's
}

// Node has what a node tells of its interfaces and cards.
type Node struct {
	Functions  []Function // of BlueFields, in the order of their addresses
	Interfaces []Interface
	addresses  []string          // the numbers of the address that was asked about
	rdma       map[string]string // the paths of RDMA devices in sysfs
}

const lookMark = "dpukv-devices"

// lookScript prints the interfaces with addresses, then a line for each function and interface. A
// container may lack ip. Then no address is seen, which matters only where there is a card.
const lookScript = `
ip -j addr show 2>/dev/null || echo '[]'
echo
echo ` + lookMark + `
getent ahosts "$2" 2>/dev/null | while read -r number rest; do echo "address $number"; done
for f in "$1"/bus/pci/devices/*; do
	test "$(cat "$f/vendor" 2>/dev/null)" = 0x15b3 &&
		echo "function ${f##*/} $(cat "$f/device")"
done
for r in "$1"/class/infiniband/*; do
	d=$r/device
	test -e "$d/physfn" && d=$d/physfn
	test -e "$d" && echo "rdma ${r##*/} $(readlink -f "$d")"
done
for i in "$1"/class/net/*; do
	d=$i/device
	test -e "$d/physfn" && d=$d/physfn
	test -e "$d" && echo "device ${i##*/} $(readlink -f "$d")"
	for l in "$i"/lower_*; do test -e "$l" && echo "lower ${i##*/} ${l##*/lower_}"; done
done
:`

// Look reads a node's interfaces and cards. It needs no right, and changes nothing. address is the
// node's, a number or a name.
func Look(ctx context.Context, n step.Node, address string) (Node, error) {
	out, err := n.Run(ctx, look("/sys", address))
	if err == nil {
		var seen Node
		if seen, err = parseLook(out); err == nil {
			seen.addresses = append(seen.addresses, address)
			return seen, nil
		}
	}
	return Node{}, n.About("its interfaces and cards", err)
}

func look(sys, address string) []string { return step.Shell(lookScript, sys, address) }

func parseLook(out string) (Node, error) {
	links, devices, ok := strings.Cut(out, lookMark)
	if !ok {
		return Node{}, errors.New("found " + step.Shorten(out))
	}
	var list []struct {
		Name   string                   `json:"ifname"`
		Master string                   `json:"master"`
		Addrs  []struct{ Local string } `json:"addr_info"`
	}
	if err := json.Unmarshal([]byte(links), &list); err != nil {
		return Node{}, fmt.Errorf("ip -j: %w", err)
	}
	n := Node{rdma: map[string]string{}}
	for _, l := range list {
		it := Interface{Name: l.Name, Master: l.Master}
		for _, a := range l.Addrs {
			it.Addresses = append(it.Addresses, a.Local)
		}
		n.Interfaces = append(n.Interfaces, it)
	}
	for line := range strings.Lines(devices) {
		n.note(strings.Fields(line))
	}
	slices.SortFunc(n.Functions, func(a, b Function) int { return strings.Compare(a.PCI, b.PCI) })
	return n, nil
}

// note takes one line about devices.
func (n *Node) note(f []string) {
	switch {
	case len(f) == 2 && f[0] == "address":
		n.addresses = append(n.addresses, f[1])
	case len(f) != 3:
	case f[0] == "function" && generations[f[2]] != "":
		n.Functions = append(n.Functions, Function{f[1], generations[f[2]]})
	case f[0] == "rdma":
		n.rdma[f[1]] = f[2]
	case f[0] == "device":
		if it := n.named(f[1]); it != nil {
			it.device = f[2]
		}
	case f[0] == "lower":
		if it := n.named(f[1]); it != nil {
			it.lower = append(it.lower, f[2])
		}
	}
}

func (n *Node) named(name string) *Interface {
	i := slices.IndexFunc(n.Interfaces, func(it Interface) bool { return it.Name == name })
	if i < 0 {
		return nil
	}
	return &n.Interfaces[i]
}

// OfAddress returns the interface with the node's address; nil: none has it.
func (n *Node) OfAddress() *Interface {
	for i := range n.Interfaces {
		for _, a := range n.Interfaces[i].Addresses {
			if slices.Contains(n.addresses, a) {
				return &n.Interfaces[i]
			}
		}
	}
	return nil
}

// Carries reports whether an RDMA device (mlx5_0, mlx5_0/2) is of the function behind an interface,
// or behind one that it stands on.
func (n *Node) Carries(it *Interface, device string) bool {
	name, _, _ := strings.Cut(device, "/")
	return n.rdma[name] != "" && n.over(it, n.rdma[name], 0)
}

func (n *Node) over(it *Interface, device string, layer int) bool {
	return it != nil && layer < mostLayers && (it.device == device ||
		slices.ContainsFunc(it.lower, func(name string) bool {
			return n.over(n.named(name), device, layer+1)
		}))
}

// RDMADevices returns the names of the RDMA devices of the function behind an interface.
func (n *Node) RDMADevices(it *Interface) (names []string) {
	for name := range n.rdma {
		if n.Carries(it, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Behind returns the BlueField's function behind an interface, or behind one that it stands on;
// nil: there is none.
func (n *Node) Behind(it *Interface) *Function { return n.behind(it, 0) }

// mostLayers bounds the layers of interfaces: a VLAN of a bond of two ports has three.
const mostLayers = 4

func (n *Node) behind(it *Interface, layer int) *Function {
	if it == nil || layer == mostLayers {
		return nil
	}
	// The path of a scalable function's device goes through its parent's, which is the card's.
	for _, pci := range slices.Backward(pciAddress.FindAllString(it.device, -1)) {
		for i := range n.Functions {
			if n.Functions[i].PCI == pci {
				return &n.Functions[i]
			}
		}
	}
	for _, name := range it.lower {
		if f := n.behind(n.named(name), layer+1); f != nil {
			return f
		}
	}
	return nil
}

var pciAddress = regexp.MustCompile(`[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]`)

// ScalableFunction reports whether the interface is a scalable function's, as the Arm has one for
// itself in DPU mode. The kernel names the device after the function: mlx5_core.sf.2.
func (it *Interface) ScalableFunction() bool {
	return strings.Contains(it.device, "/mlx5_core.sf.")
}

// Management reports whether an interface is made for logging in to a card, by its name: rshim's
// tmfifo_net0 between host and Arm, and the Arm's own port oob_net0.
func (it *Interface) Management() bool {
	return strings.HasPrefix(it.Name, "tmfifo_net") || strings.HasPrefix(it.Name, "oob_net")
}
