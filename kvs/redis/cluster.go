package redis

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// topology is a cluster as one of its nodes describes it.
type topology struct {
	masters []string // addresses of those that have slots
	slots   slotTable
}

// unassigned marks a slot without a node.
const unassigned = 1<<16 - 1

// parseTopology parses the answer to CLUSTER NODES, of the node at addr. Each line is
//
//	ID HOST:PORT@BUS[,NAME] FLAGS MASTER PING PONG EPOCH LINK SLOT…
//
// A node may not know its own host. A change under way is an error: it would spoil a measurement.
func parseTopology(text, addr string) (*topology, error) {
	t := &topology{}
	for i := range t.slots {
		t.slots[i] = unassigned
	}
	for line := range strings.Lines(text) {
		if err := t.add(strings.Fields(line), addr); err != nil {
			return nil, err
		}
	}
	missing := 0
	for _, node := range t.slots {
		if node == unassigned {
			missing++
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("cluster: found %d of %d slots without a node, allowed: none; "+
			"repair it with redis-cli --cluster fix", missing, slots)
	}
	return t, nil
}

// nodeFields is the number of fields before the slots.
const nodeFields = 8

// add adds the node of a line, if it has slots.
func (t *topology) add(fields []string, addr string) error {
	if len(fields) < nodeFields {
		return fmt.Errorf("cluster: found a node of %d fields, allowed: at least %d", len(fields),
			nodeFields)
	}
	if len(fields) == nodeFields {
		return nil // a replica, or a node to come
	}
	flags := strings.Split(fields[2], ",")
	for _, flag := range flags {
		if flag == "fail" || flag == "fail?" || flag == "noaddr" {
			return fmt.Errorf("cluster: found the node %.60q in the state %s, allowed: running",
				fields[1], flag)
		}
	}
	host, _, _ := strings.Cut(fields[1], "@")
	if flags[0] == "myself" {
		host = addr
	}
	if ip, _, err := net.SplitHostPort(host); err != nil || ip == "" {
		return fmt.Errorf("cluster: found the address %.60q of a node, allowed: HOST:PORT",
			fields[1])
	}
	t.masters = append(t.masters, host)
	for _, text := range fields[nodeFields:] {
		if err := t.assign(text, len(t.masters)-1); err != nil {
			return err
		}
	}
	return nil
}

// assign gives a node a slot or a range of slots.
func (t *topology) assign(text string, node int) error {
	if strings.HasPrefix(text, "[") {
		return errors.New("cluster: found a slot that moves to another node, allowed: none; " +
			"measure once redis-cli --cluster reshard has ended")
	}
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	from, err := strconv.ParseUint(low, 10, 16)
	to, errTo := strconv.ParseUint(high, 10, 16)
	if err != nil || errTo != nil || from > to || to >= slots {
		return fmt.Errorf("cluster: found the slots %.20q, allowed: from 0 to %d", text, slots-1)
	}
	for slot := from; slot <= to; slot++ {
		t.slots[slot] = uint16(node)
	}
	return nil
}
