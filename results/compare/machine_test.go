package compare

import (
	"bytes"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// repeatsOn are six repeats on one machine.
func repeatsOn(machine string, hosts ...string) (points []results.Point) {
	for repeat := 1; repeat <= 6; repeat++ {
		points = append(points, resultstest.LocalPoint(func(p *results.Point) {
			p.Machine, p.Hosts, p.Repeat = machine, hosts, repeat
		}))
	}
	return points
}

// TestMachines: two runs on two machines are compared, and the output says so. Of a folder with
// several machines, only points of one machine are.
func TestMachines(t *testing.T) {
	alice, bob := repeatsOn("aaaabbbb", "alice"), repeatsOn("ccccdddd", "bob")
	both := append(repeatsOn("aaaabbbb", "alice"), repeatsOn("ccccdddd", "bob")...)
	for name, c := range map[string]struct {
		a, b         []results.Point
		want, absent string
		onlyB, aSide int
	}{
		"the same":         {alice, alice, "", "Other machines", 0, 6},
		"an older build":   {repeatsOn(""), bob, "", "Other machines", 0, 6},
		"two":              {alice, bob, "Other machines: A on alice aaaa, B on bob cccc", "", 0, 6},
		"one of a mixture": {alice, both, "", "Other machines", 1, 6},
	} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(Compare(Side{Points: c.a}, Side{Points: c.b}, Options{}))(t)
			var b bytes.Buffer
			must.Do(t, got.Write(&b))
			if !strings.Contains(b.String(), c.want) || c.absent != "" && strings.Contains(b.String(), c.absent) {
				t.Errorf("found %s", b.String())
			}
			if len(got.OnlyB) != c.onlyB || got.Rows[0].A.N != c.aSide || got.Rows[0].B.N != 6 {
				t.Errorf("found %q, %+v", got.OnlyB, got.Rows[0])
			}
		})
	}
}
