package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

var local = launcher{
	check:   func(*Node) error { return nil },
	command: func(_ *Node, argv []string) []string { return argv },
}

// namespaces is the folder in which ip keeps named network namespaces.
const namespaces = "/var/run/netns"

var netns = launcher{
	tool: "ip", get: "install iproute2",
	check: func(n *Node) error {
		switch {
		case (n.Namespace == "") == (len(n.Prefix) == 0):
			return n.errorf("found namespace: %q and prefix: %q, allowed: one of them", n.Namespace,
				n.Prefix)
		case strings.HasPrefix(n.Namespace, "-") || strings.Contains(n.Namespace, "/"):
			return n.found("namespace", n.Namespace, "a name in "+namespaces)
		}
		return nil
	},
	ready: func(n *Node) error {
		if n.Namespace == "" {
			return nil
		}
		if _, err := os.Stat(filepath.Join(namespaces, n.Namespace)); errors.Is(err,
			os.ErrNotExist) {
			return n.errorf("there is no network namespace %s: ip netns list names those there "+
				"are, ip netns add %s makes it", n.Namespace, n.Namespace)
		}
		return nil
	},
	command: func(n *Node, argv []string) []string {
		if n.Namespace == "" {
			return append(append([]string{}, n.Prefix...), argv...)
		}
		return append([]string{"ip", "netns", "exec", n.Namespace}, argv...)
	},
	troubles: []trouble{
		{
			says(`^Cannot open network namespace "(.+)": No such file`),
			"there is no network namespace $1: ip netns list names those there are, ip netns add " +
				"$1 makes it",
		},
		{
			says(`^(?:setting the network namespace .*|mount of .*|Cannot open network namespace .*|unshare) ?failed: (?:Operation not permitted|Permission denied)`),
			"this user may not enter network namespaces: run dpukv as root",
		},
	},
}
