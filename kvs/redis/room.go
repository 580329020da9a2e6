package redis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/kvs"
)

var _ kvs.Roomy = (*Remote)(nil)

// Room asks the servers for their memory. Each is a part of its own, as its keys have no other
// room. Databases of one server share it.
func (r *Remote) Room() (sum kvs.Room, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum.Parts = map[string]kvs.RoomPart{}
	for _, n := range r.nodes {
		text, err := n.control.info("all")
		if err != nil {
			return sum, fmt.Errorf("ask %s at %s for its memory: %w", n.product.name, n.peer.Addr,
				err)
		}
		p := n.product.parser(text)
		p.addRoom(&sum, n.peer.Addr)
		if p.Err != nil {
			return sum, p.Err
		}
		sum.Untold = append(sum.Untold, p.Untold...)
	}
	if len(sum.Parts) < len(r.nodes) {
		sum.Parts = nil
	}
	return sum, nil
}

// addRoom adds the room of a node, unless the node does not tell it.
func (p *parser) addRoom(sum *kvs.Room, node string) {
	part := kvs.RoomPart{UnitBytes: 1}
	limit := p.Count("maxmemory")
	sum.Evicted += p.Count("evicted_keys")
	evicts := false
	if part.Unbounded = limit == 0; part.Unbounded {
		part.Used, _ = strconv.ParseUint(p.Text["used_memory"], 10, 64) // it decides nothing
	} else {
		evicts = p.Told("maxmemory_policy") && p.Text["maxmemory_policy"] != "noeviction"
		part.Used = p.Count("used_memory")
		part.Free = max(limit, part.Used) - part.Used
	}
	if evicts {
		sum.Evicts = true
		sum.Evictable += p.evictable()
	}
	if !slices.ContainsFunc(p.Untold, func(name string) bool { return name != "evicted_keys" }) {
		sum.Parts[node] = part
	}
}

var database = regexp.MustCompile(`^db[0-9]+$`)

// evictable counts the keys of all databases, or those with a time to live if only they are
// evicted.
func (p *parser) evictable() (n uint64) {
	which := "keys"
	if strings.HasPrefix(p.Text["maxmemory_policy"], "volatile-") {
		which = "expires"
	}
	for name := range p.Text {
		if database.MatchString(name) {
			n += p.part(name, which)
		}
	}
	return n
}
