package submode

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A mark is a second name of an interface (altname, Linux 5.5). The loopback's tells which folder
// is of this network namespace, a port's that it is still the interface which was set up. The
// kernel forgets a mark with what carries it. An inode, an index or a name it gives away again.
const markPrefix = "dpukv-"

const loopback = "lo"

var markOfSpace = regexp.MustCompile(`^` + markPrefix + `([0-9a-f]{16})$`)

// newMark is one that nothing else has.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// markOf is what an interface is called by a mark.
func markOf(mark, port string) string {
	if port == loopback {
		return markPrefix + mark
	}
	return markPrefix + mark + "-" + port
}

// space is what a node's commands see of their network namespace.
type space struct {
	inode string // which another one gets once this one is gone
	mark  string // "": nothing is applied in it
	links map[string]link
}

// look reads the marks of the node's namespace.
func look(ctx context.Context, n Node) (*space, error) {
	out, err := n.Run(ctx, []string{"readlink", "/proc/self/ns/net"})
	if err != nil {
		return nil, fmt.Errorf("node %s: which network namespace is it? %w", n.Name, err)
	}
	s := &space{inode: strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(out), "net:["), "]")}
	if !digits.MatchString(s.inode) {
		return nil, fmt.Errorf("node %s: found the network namespace %q, allowed: net:[NUMBER]",
			n.Name, shorten(out))
	}
	if out, err = n.Run(ctx, []string{"ip", "-j", "link", "show"}); err == nil {
		s.links, err = links(out)
	}
	if err != nil {
		return nil, fmt.Errorf("node %s: which interfaces are there? %w", n.Name, err)
	}
	for _, name := range s.links[loopback].Others {
		if m := markOfSpace.FindStringSubmatch(name); m != nil {
			s.mark = m[1]
		}
	}
	return s, nil
}

// has tells whether a port is still the interface that was marked.
func (s *space) has(port string) bool {
	return slices.Contains(s.links[port].Others, markOf(s.mark, port))
}

// markSteps mark the namespace and the ports; the namespace first, so that no port has a mark that
// nobody finds.
func markSteps(mark string, ports ...string) (list []Step) {
	for _, port := range append([]string{loopback}, ports...) {
		says := port + " as one of the interfaces that are set up"
		if port == loopback {
			says = "this network namespace as the one that " + folderOf(mark) + " is of"
		}
		list = append(list, Step{
			Says: "mark " + says, Run: property("add", port, markOf(mark, port)),
			Else: "Linux 5.5 and its iproute2, or later, and root's rights",
		})
	}
	return list
}

func property(change, port, name string) []string {
	return []string{"ip", "link", "property", change, "dev", port, "altname", name}
}

// dropMarks takes the marks off what still has them.
func (s *space) dropMarks(ctx context.Context, n Node) error {
	for name, l := range s.links {
		for _, other := range l.Others {
			if !strings.HasPrefix(other, markOf(s.mark, loopback)) {
				continue
			}
			if _, err := n.Run(ctx, property("del", name, other)); err != nil && !gone(err) {
				return fmt.Errorf("node %s: take our mark off %s: %w", n.Name, name, err)
			}
		}
	}
	return nil
}

// strangers are folders of this namespace's inode that are not of it: of one that had the inode
// before, and is gone.
func (s *space) strangers(ctx context.Context, n Node) ([]string, error) {
	out, err := n.Run(ctx, sh(`
for d in "$1"/net-*; do
	test "$d" != "$1/net-$3" || continue
	test "$d" = "$1/net-$2" || grep -q '"Space":"'"$2"'"' "$d/about" 2>/dev/null || continue
	printf '%s\n' "$d"
done`, volatile, s.inode, s.mark))
	return strings.Fields(out), err
}

// cardID is the identity of a BlueField, whose folder outlives a restart: the machine's, and the
// address that its wire port was made with.
func cardID(ctx context.Context, n Node, wire string) (string, error) {
	out, err := n.Run(ctx, []string{"cat", "/etc/machine-id"})
	if err != nil {
		return "", fmt.Errorf("node %s: which machine is it? %w", n.Name, err)
	}
	id := strings.TrimSpace(out)
	if out, err = n.Run(ctx, []string{"ip", "-j", "link", "show", "dev", wire}); err != nil {
		return "", fmt.Errorf("node %s: which card is it? %w", n.Name, err)
	}
	var list []struct{ Address, Permaddr string }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 {
		return "", fmt.Errorf("node %s: which card is it? found %q", n.Name, shorten(out))
	}
	if p := list[0].Permaddr; p != "" {
		return id + " " + p, nil
	}
	return id + " " + list[0].Address, nil
}
