package testbed

import (
	"strings"

	"dpukv/placement/launch"
)

// setHostKeyAliases gives each ssh node behind a jump a name of its own for its host key, if
// another node has the same host behind another jump. Both cards of a testbed often have one
// address on their host's tmfifo, and ssh would take the second one's key for a forged one.
func (t *Testbed) setHostKeyAliases() {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Via != launch.SSH || n.Jump == "" {
			continue
		}
		for j := range t.Nodes {
			o := &t.Nodes[j]
			if o.Via == launch.SSH && o.Host == n.Host && o.Port == n.Port && o.Jump != n.Jump {
				n.HostKeyAlias = hostKeyAlias(n)
			}
		}
	}
}

// hostKeyAlias names the key after the way to the host, so that the name means the same in all
// testbeds. A file of known hosts gives *, ?, ! and the comma a meaning.
func hostKeyAlias(n *Node) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("*?!, \t#|[]", r) {
			return '-'
		}
		return r
	}, n.Jump+"+"+n.Host)
}
