package placement

import (
	"fmt"
	"slices"
	"strings"
)

// launcher turns the command that is to run on a node into the one to run here. That is all
// there is to starting a process anywhere: stdin and stdout carry the rest.
type launcher func(n *Node, argv []string) []string

var launchers = map[string]launcher{
	viaLocal: func(_ *Node, argv []string) []string { return argv },
}

// launch returns the command that runs argv on n.
func launch(n *Node, argv []string) ([]string, error) {
	l, ok := launchers[n.Via]
	if !ok {
		var works []string
		for via := range launchers {
			works = append(works, via)
		}
		slices.Sort(works)
		return nil, fmt.Errorf("node %s: via: %s is not built yet; works: %s", n.Name, n.Via, strings.Join(works, ", "))
	}
	return l(n, argv), nil
}
