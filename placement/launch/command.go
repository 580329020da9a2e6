package launch

import (
	"os/exec"
	"slices"
	"strings"
	"unicode/utf8"
)

// launcher describes one way to start programs on nodes.
type launcher struct {
	tool  string // the program that starts others; "": none is needed
	get   string // how to get the tool
	check func(n *Node) error
	// checks that this machine has what the fields name; nil: nothing to check from here
	ready    func(n *Node) error
	utf8     bool // it carries no other arguments
	command  func(n *Node, argv []string) []string
	troubles []trouble
}

var launchers = map[string]*launcher{
	Local:   &local,
	Netns:   &netns,
	SSH:     &ssh,
	Slurm:   &slurm,
	Kubectl: &kubectl,
}

// Command returns the local command that runs argv on the node. argv is a program, by its absolute
// path or found in the PATH there, and its arguments. The result depends on nothing but the
// arguments.
func Command(n *Node, argv []string) ([]string, error) {
	l, err := n.validate()
	if err != nil {
		return nil, err
	}
	if len(argv) == 0 || argv[0] == "" || strings.HasPrefix(argv[0], "-") {
		return nil, n.errorf("found %q, allowed: a program and its arguments", argv)
	}
	for _, a := range argv {
		if strings.ContainsRune(a, 0) {
			return nil, n.errorf("found the argument %q, allowed: one without a NUL byte, which "+
				"no command line can carry", a)
		}
		if l.utf8 && !utf8.ValidString(a) {
			return nil, n.errorf("found the argument %q, allowed with via: %s: valid UTF-8", a,
				n.Via)
		}
	}
	return l.command(n, slices.Clone(argv)), nil
}

// Check refuses a node if this machine lacks something to start programs there. It starts no
// process and contacts no other machine.
func Check(n *Node) error {
	l, err := n.validate()
	if err != nil {
		return err
	}
	if l.tool != "" && len(n.Prefix) == 0 {
		if _, err := exec.LookPath(l.tool); err != nil {
			return n.errorf("via: %s needs the program %s, which is not in the PATH of this "+
				"machine: %s", n.Via, l.tool, l.get)
		}
	}
	if l.ready != nil {
		return l.ready(n)
	}
	return nil
}
