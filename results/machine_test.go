package results_test

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// onMachine is two repeats of a placement at several threads on one machine.
func onMachine(placement, machine string, hosts ...string) (points []results.Point) {
	for _, threads := range []int{1, 2} {
		for repeat := 1; repeat <= 2; repeat++ {
			points = append(points, resultstest.LocalPoint(func(p *results.Point) {
				p.ID = fmt.Sprintf("%s-%d-%d", placement, threads, repeat)
				p.Placement, p.Machine, p.Hosts = placement, machine, hosts
				p.ClientThreads, p.Repeat = threads, repeat
			}))
		}
	}
	return points
}

func lineLabels(points []results.Point) string {
	var said []string
	for _, l := range results.Lines(points) {
		said = append(said, fmt.Sprintf("%s: %d", l.Label, len(l.Marks[0].Repeats)))
	}
	return strings.Join(said, "; ")
}

// TestMachinesAreLines: the same request on two machines is two lines. Placements of one testbed
// have other machines each, and their labels don't say so.
func TestMachinesAreLines(t *testing.T) {
	for name, c := range map[string]struct {
		points []results.Point
		want   string
	}{
		"two machines": {
			append(onMachine("CH-SH", "aaaabbbb", "alice"), onMachine("CH-SH", "ccccdddd", "bob", "eve")...),
			"on alice aaaa: 2; on bob + eve cccc: 2",
		},
		"hosts of one name": {
			append(onMachine("CH-SH", "aaaabbbb", "node"), onMachine("CH-SH", "ccccdddd", "node")...),
			"on node aaaa: 2; on node cccc: 2",
		},
		"one machine": {
			append(onMachine("CH-SH", "aaaabbbb", "alice"), onMachine("CH-SH", "aaaabbbb", "alice")...),
			"CH-SH: 4",
		},
		"one testbed": {
			append(onMachine("CH-SH", "aaaabbbb", "alice"), onMachine("CD-SH", "ccccdddd", "dpu")...),
			"CH-SH: 2; CD-SH: 2",
		},
		"an older build": {append(onMachine("CH-SH", ""), onMachine("CH-SH", "")...), "CH-SH: 4"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lineLabels(c.points); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
