package placement

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sameStarts is how many points in a row a node may fail to even start for, until no more are tried that need it.
const sameStarts = 3

// starts are a node's failures in a row to start.
type starts struct {
	count  int
	reason error
}

// noteStart counts what became of a point's nodes: all others of the point would fail alike.
func (r *runner) noteStart(pt *Point, err error) {
	c, castErr := r.testbed.cast(pt.Placement)
	if castErr != nil {
		return // no node was tried
	}
	var start startError
	failed := errors.As(err, &start)
	for _, n := range c.all() {
		switch {
		case slices.Contains(start.nodes, n.Name):
			r.starts[n.Name] = starts{r.starts[n.Name].count + 1, start.error}
		case !failed: // else it may not even have been waited for
			delete(r.starts, n.Name)
		}
	}
}

// lost names the first of the point's nodes that is given up.
func (r *runner) lost(pt *Point) string {
	c, err := r.testbed.cast(pt.Placement)
	if err != nil {
		return ""
	}
	for _, n := range c.all() {
		if r.starts[n.Name].count >= sameStarts {
			return n.Name
		}
	}
	return ""
}

// gaveUp tells which nodes were given up, if that cost points.
func (r *runner) gaveUp() error {
	if r.sum.Skipped == 0 {
		return nil
	}
	var told []string
	for _, name := range slices.Sorted(maps.Keys(r.starts)) {
		if s := r.starts[name]; s.count >= sameStarts {
			told = append(told, s.reason.Error())
		}
	}
	return fmt.Errorf("gave up after %d points in a row did not start: %s; %d points that need it were not tried; when that is mended: %s",
		sameStarts, strings.Join(slices.Compact(told), "; "), r.sum.Skipped, r.again())
}
