package offload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/probechart"
	"dpukv/results/resultstest"
)

func text(t *testing.T, table *probechart.Table) string {
	t.Helper()
	for _, row := range table.Rows {
		if len(row) != len(table.Rows[0]) {
			t.Fatalf("the row %q has %d cells, the head %d", row, len(row), len(table.Rows[0]))
		}
	}
	var lines []string
	for _, row := range table.Rows[1:] {
		lines = append(lines, strings.Join(row, " | "))
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestValid(t *testing.T) {
	for _, p := range resultstest.SplitPoints() {
		if err := results.Validate(&p); err != nil {
			t.Error(err)
		}
	}
}

func TestTables(t *testing.T) {
	r := Of(resultstest.SplitPoints())
	if len(r.Tables) != 3 {
		t.Fatalf("found %d tables, want 3", len(r.Tables))
	}
	var b strings.Builder
	for _, table := range r.Tables {
		fmt.Fprintf(&b, "%s\n%s\n%s\n", table.Title, strings.Join(table.Rows[0], " | "), text(t, table))
	}
	resultstest.Golden(t, "tables.txt", []byte(b.String()))
}

// TestRatio: a whole server costs hosts 310 ns and its clients 420 ns. An engine on a DPU takes half
// of the server's.
func TestRatio(t *testing.T) {
	for placement, want := range map[string]string{
		"CH-SH": "1.00×", "CH-SD": "0.575×", "CD-SD": "0×", "CH-ED-SH": "0.788×", "CH-PD-SH": "0.589×",
	} {
		rows := Of(resultstest.SplitPoints()).Tables[0].Rows
		i := slices.IndexFunc(rows, func(row []string) bool { return row[0] == placement })
		if i < 0 || rows[i][10] != want {
			t.Errorf("%s: found %q, want %q", placement, rows[i], want)
		}
	}
}

func TestNoBase(t *testing.T) {
	points := slices.DeleteFunc(resultstest.SplitPoints(), func(p results.Point) bool {
		return p.Placement == "CH-SH" || p.Neighbour != ""
	})
	r := Of(points)
	if len(r.Tables) != 2 || r.Tables[0].Rows[1][10] != "–" {
		t.Errorf("found %+v, want two tables and a ratio of –", r.Tables)
	}
}

// TestOtherRequest: a line with another request is no base.
func TestOtherRequest(t *testing.T) {
	points := resultstest.SplitPoints()
	for i := range points {
		if points[i].Placement == "CH-SH" {
			points[i].Batch = 1
		}
	}
	for _, row := range Of(points).Tables[0].Rows[1:] {
		if whole := strings.HasPrefix(row[0], "CH-SH"); whole != (row[10] != "–") {
			t.Errorf("found %q", row)
		}
	}
}

// TestOlderPoints do not tell the machines of their parts.
func TestOlderPoints(t *testing.T) {
	older := resultstest.LocalPoints()
	if r := Of(older); len(r.Charts)+len(r.Tables) != 0 {
		t.Errorf("found %+v, want nothing", r)
	}
	r := Of(append(older, resultstest.SplitPoints()...))
	for _, c := range r.Charts {
		for _, p := range c.Points() {
			if unknown(p) {
				t.Errorf("%s: found %s, whose host CPU time is unknown", c.Stem, p.ID)
			}
		}
	}
}

func TestCharts(t *testing.T) {
	charts := Of(resultstest.SplitPoints()).Charts
	if len(charts) != 1 || charts[0].Stem != "mica-get95-host-cpu" {
		t.Fatalf("found %+v, want one chart", charts)
	}
	var labels []string
	for _, l := range charts[0].Panels[0].Lines {
		labels = append(labels, l.Label)
		if len(l.Marks) != 3 || len(l.Marks[0].Repeats) != 2 {
			t.Errorf("%s: found %d marks, want 3 of 2 repeats", l.Label, len(l.Marks))
		}
	}
	want := "CH-SH; CH-SH, beside a neighbour of kind cache; CH-SD; CD-SD; CH-ED-SH; " +
		"CH-ED-SH, beside a neighbour of kind cache; CH-PD-SH"
	if got := strings.Join(labels, "; "); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
