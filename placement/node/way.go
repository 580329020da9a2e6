package node

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Way names both ends of a client's connections, and what a firewall there should let through.
type Way struct {
	Client     string `json:"client"` // a node
	ClientAddr string `json:"client_addr"`
	Server     string `json:"server"`          // a node
	Ports      string `json:"ports,omitempty"` // of its servers; "": any free ones
}

// examplePorts are the ports that a message proposes where the testbed names none.
const examplePorts = "7000-7100"

// Blocked tells that the client's node does not connect to an address of the server's node, and
// what to do. The fault comes from [Fault].
func (w *Way) Blocked(addr, fault string) string {
	ports, first := cmp.Or(w.Ports, examplePorts), "open the ports there"
	if w.Ports == "" {
		first = "servers take any free port, so write ports: " + ports +
			" into the testbed file, and open these ports there"
	}
	return fmt.Sprintf("connection from node %s (%s) to node %s at %s: found %s, allowed: an "+
		"accepted one; is it a firewall on node %s, or on the way? To do: %s, with nft insert "+
		"rule inet filter input tcp dport %s accept, or with firewall-cmd --add-port=%s/tcp",
		w.Client, w.ClientAddr, w.Server, addr, fault, w.Server, first, ports, ports)
}

// explain names both ends in the error of a client that could not connect. The way is nil if they
// are unknown.
func (w *Way) explain(err error) error {
	var dial *net.OpError
	if w == nil || !errors.As(err, &dial) || dial.Op != "dial" || dial.Addr == nil {
		return err
	}
	return &blocked{w.Blocked(dial.Addr.String(), Fault(err)), err}
}

// explain names both ends in the error of a client that could not connect to the server, or to its
// proxy.
func (s *ClientSpec) explain(err error) error {
	var dial *net.OpError
	if s.Proxy != "" && errors.As(err, &dial) && dial.Addr != nil &&
		dial.Addr.String() == s.Proxy {
		return s.ProxyWay.explain(err)
	}
	return s.Way.explain(err)
}

// blocked is the error of a connection that was not accepted.
type blocked struct {
	text  string
	cause error
}

func (b *blocked) Error() string { return b.text }

func (b *blocked) Unwrap() error { return b.cause }

// Fault tells in a few words why a connection was not accepted; "" if it was. A firewall drops the
// packets, or it answers for the server with a reset or an ICMP message.
func Fault(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var dial *net.OpError
	if errors.As(err, &dial) {
		text = dial.Err.Error()
	}
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer (" + text + ")"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "a refusal (" + text + ")"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way there (" + text + "), as with a link that is down or a missing route"
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return "a prohibition by the firewall of the client's own node (" + text + ")"
	}
	return text
}
