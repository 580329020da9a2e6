package fullsize

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// End is a host at an end of the path.
type End struct {
	Node    step.Node
	Address string // of its interface on the path; of another form than an IP address: any
}

// Check compares the MTU of a DPU's port with those of both ends. It then sends packets of that
// size, which no one may fragment, from client to server.
func Check(ctx context.Context, dpu step.Node, port string, client, server End) error {
	out, err := dpu.Run(ctx, []string{"cat", "/sys/class/net/" + port + "/mtu"})
	if err != nil {
		return dpu.About("which MTU has "+port+"?", err)
	}
	mtu, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return fmt.Errorf("node %s: which MTU has %s? found %q", dpu.Name, port, step.Shorten(out))
	}
	for _, e := range []End{client, server} {
		if err := e.has(ctx, mtu, dpu.Name+"'s "+port); err != nil {
			return err
		}
	}
	return ping(ctx, client.Node, server, mtu)
}

// has refuses an end with another MTU.
func (e *End) has(ctx context.Context, mtu int, port string) error {
	if _, err := netip.ParseAddr(e.Address); err != nil {
		return nil //nolint:nilerr // a name: the packets will tell
	}
	out, err := e.Node.Run(ctx, []string{"ip", "-j", "address", "show", "to", e.Address})
	if err != nil {
		return e.Node.About("which interface has "+e.Address+"?", err)
	}
	var list []struct {
		Name string `json:"ifname"`
		MTU  int    `json:"mtu"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return fmt.Errorf("node %s: which interface has %s? found %q", e.Node.Name, e.Address,
			step.Shorten(out))
	}
	for _, l := range list {
		if l.Name != "" && l.MTU != mtu {
			return fmt.Errorf("found an MTU of %d on node %s's %s, and of %d on node %s, allowed: "+
				"one MTU on the whole way\nTo do: on node %s: ip link set dev %s mtu %d",
				l.MTU, e.Node.Name, l.Name, mtu, port, e.Node.Name, l.Name, mtu)
		}
	}
	return nil
}

// Headers of an echo request.
const (
	headers4 = 20 + 8
	headers6 = 40 + 8
)

// ping succeeds if one of some packets is answered.
func ping(ctx context.Context, client step.Node, server End, mtu int) error {
	headers := headers4
	if a, err := netip.ParseAddr(server.Address); err == nil && a.Is6() {
		headers = headers6
	}
	argv := []string{
		"ping", "-q", "-M", "do", "-c", "3", "-i", "0.2", "-W", "2", "-s",
		strconv.Itoa(mtu - headers), server.Address,
	}
	if _, err := client.Run(ctx, argv); err != nil {
		return fmt.Errorf("node %s: found no answer from %s to packets of the full size (MTU %d), "+
			"allowed: they cross without fragments: %w\nTo do: set one MTU on both hosts, on "+
			"every switch between them, and on both ports of the DPU: ip link set dev PORT mtu N",
			client.Name, server.Address, mtu, err)
	}
	return nil
}
