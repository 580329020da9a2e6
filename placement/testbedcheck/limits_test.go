package testbedcheck

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/node"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// TestLimits: placements of hosts are limited by the modes of the cards in them, too, as the DPU or
// the host tells.
func TestLimits(t *testing.T) {
	const bed = "nodes:\n  a: {via: ssh, address: 10.10.10.1}\n  b: {via: ssh, address: 10.10.10.3}\n" +
		"  d: {kind: dpu, of: b, generation: bf3, via: ssh, address: 10.10.10.4}\nclient_side: a\nserver_side: [b, d]\n"
	parsed := must.Get(testbed.Parse("t.yaml", []byte(bed)))(t)
	for name, c := range map[string]struct {
		modes map[string]string // by node, of those that see a card
		want  string
	}{
		"no card":           {nil, ""},
		"separated":         {map[string]string{"d": survey.OffPath}, ""},
		"DPU":               {map[string]string{"d": survey.OnPath}, "not off-path: the card in b is in DPU mode"},
		"told by the host":  {map[string]string{"d": "", "b": survey.OnPath}, "the card in b is in DPU mode"},
		"a card of no node": {map[string]string{"a": ""}, "the mode of the card in a is not known"},
		"NIC":               {map[string]string{"a": survey.NICMode}, "the card in a is in NIC mode"},
	} {
		table := table{bed: &parsed}
		for _, n := range []string{"a", "b", "d"} {
			v := &visit{node: parsed.Node(n), found: &node.Inspection{}, reached: &node.Reached{}}
			if mode, ok := c.modes[n]; ok {
				v.found.Report.BlueField = &survey.BlueField{Mode: mode}
			}
			table.visits = append(table.visits, v)
		}
		assigned := must.Get(parsed.Assign("CH-SH"))(t)
		got := table.limits(&assigned)
		if (got != "") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if why := table.why(&assigned); why != "" {
			t.Errorf("%s: cannot run: %s", name, why)
		}
	}
}
