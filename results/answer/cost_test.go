package answer

import (
	"strings"
	"testing"

	"dpukv/results"
)

// using is the energy of the server's and the clients' machines.
func using(server, client float64, hosts ...string) func(*results.Point) {
	return func(p *results.Point) {
		p.ServerEnergyUJPerOp, p.ClientEnergyUJPerOp, p.Hosts = server, client, hosts
	}
}

// TestCosts: an answer at a rate says what an operation takes with each placement, where it is known.
func TestCosts(t *testing.T) {
	two := []string{"a", "b"}
	for name, row := range map[string]struct {
		one, other func(*results.Point)
		says       string
		not        string
	}{
		"free hosts": {
			costing(341, 0), costing(0, 900),
			" CPU time of hosts per operation: 341 ns for CH-SH, 0 ns for CD-SD; CD-SD takes least.", "Energy",
		},
		"alike": {
			costing(341, 0), costing(341, 900),
			" CPU time of hosts per operation: 341 ns for CH-SH, 341 ns for CD-SD; which takes least is not told",
			"takes least.",
		},
		"one is not known": {
			costing(341, 0), costing(0, 0),
			" CPU time of hosts per operation: 341 ns for CH-SH, not known for CD-SD.", "least",
		},
		"none is known": {costing(0, 0), costing(0, 0), "p = 0.031.", "CPU time"},
		"energy": {
			using(12.1, 5, two...), using(9.8, 5, two...),
			" Energy of the server's machine per operation: 12.1 µJ for CH-SH, 9.80 µJ for CD-SD; CD-SD takes least." +
				" Energy of the clients' machines per operation: 5.00 µJ for CH-SH, 5.00 µJ for CD-SD; which takes",
			"CPU time",
		},
		"energy of one machine": {
			using(12.1, 12.1, "a"), using(9.8, 9.8, "a"), " Energy of the server's machine", "clients' machines",
		},
	} {
		text := at(t, offered("CH-SH", 100, 6, rates, row.one), offered("CD-SD", 160, 6, rates, row.other)).Text
		if !strings.Contains(text, row.says) || strings.Contains(text, row.not) {
			t.Errorf("%s: found %q, want it with %q and without %q", name, text, row.says, row.not)
		}
	}
}
