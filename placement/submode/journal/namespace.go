package journal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// namespaces contains the folders of network namespaces.
const namespaces = "/run/dpukv/submode"

// Dir returns the folder of the network namespace with a mark.
func Dir(mark string) string { return path.Join(namespaces, "net-"+mark) }

// markPrefix begins each mark. The loopback's mark tells which folder belongs to this network
// namespace. A port's mark tells that it is still the interface that was set up.
const markPrefix = "dpukv-"

const loopback = "lo"

var (
	namespaceMark = regexp.MustCompile(`^` + markPrefix + `([0-9a-f]{16})$`)
	inodeNumber   = regexp.MustCompile(`^net:\[([0-9]+)\]$`)
)

// newMark returns a unique mark.
func newMark() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// markOf returns an interface's name for a mark.
func markOf(mark, port string) string {
	if port == loopback {
		return markPrefix + mark
	}
	return markPrefix + mark + "-" + port
}

// namespace is the network namespace of a node's commands.
type namespace struct {
	inode string // another namespace gets it once this one is gone
	mark  string // "": nothing is applied in it
	links iplink.Links
}

// readNamespace reads the marks of the node's namespace.
func readNamespace(ctx context.Context, n step.Node) (*namespace, error) {
	out, err := n.Run(ctx, []string{"readlink", "/proc/self/ns/net"})
	if err != nil {
		return nil, n.About("which network namespace is it?", err)
	}
	m := inodeNumber.FindStringSubmatch(strings.TrimSpace(out))
	if m == nil {
		return nil, fmt.Errorf("node %s: found the network namespace %q, allowed: net:[NUMBER]",
			n.Name, step.Shorten(out))
	}
	s := &namespace{inode: m[1]}
	if out, err = n.Run(ctx, []string{"ip", "-j", "link", "show"}); err == nil {
		s.links, err = iplink.Parse(out)
	}
	if err != nil {
		return nil, n.About("which interfaces are there?", err)
	}
	for _, name := range s.links[loopback].AltNames {
		if m := namespaceMark.FindStringSubmatch(name); m != nil {
			s.mark = m[1]
		}
	}
	return s, nil
}

// has reports whether a port is still the marked interface.
func (s *namespace) has(port string) bool {
	return slices.Contains(s.links[port].AltNames, markOf(s.mark, port))
}

// MarkSteps marks the namespace and the ports. The namespace comes first, so that no port has a
// mark that nobody finds. A journal does not record them: the marks are removed with the folder.
func MarkSteps(mark string, ports ...string) (list []step.Step) {
	for _, port := range append([]string{loopback}, ports...) {
		what := port + " as one of the interfaces that are set up"
		if port == loopback {
			what = "this network namespace as the one that " + Dir(mark) + " is of"
		}
		list = append(list, step.Step{
			Purpose: "mark " + what,
			Run:     property("add", port, markOf(mark, port)),
			Undo:    property("del", port, markOf(mark, port)),
			Advice:  "Linux 5.5 and its iproute2, or later, and root's rights",
		})
	}
	return list
}

func property(change, port, name string) []string {
	return []string{"ip", "link", "property", change, "dev", port, "altname", name}
}

// dropMarks removes the marks that still exist.
func (s *namespace) dropMarks(ctx context.Context, n step.Node) error {
	for name, l := range s.links {
		for _, other := range l.AltNames {
			if !strings.HasPrefix(other, markOf(s.mark, loopback)) {
				continue
			}
			if _, err := n.Run(ctx, property("del", name, other)); err != nil &&
				!step.Vanished(err) {
				return fmt.Errorf("node %s: take our mark off %s: %w", n.Name, name, err)
			}
		}
	}
	return nil
}

// strangers returns the folders of earlier namespaces with this one's inode.
func (s *namespace) strangers(ctx context.Context, n step.Node) ([]string, error) {
	out, err := n.Run(ctx, step.Shell(`
for d in "$1"/net-*; do
	test "$d" != "$1/net-$3" || continue
	test "$d" = "$1/net-$2" || grep -q '"Space":"'"$2"'"' "$d/about" 2>/dev/null || continue
	printf '%s\n' "$d"
done`, namespaces, s.inode, s.mark))
	return strings.Fields(out), err
}
