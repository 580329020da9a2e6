package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// TestPagesOfALine: a point on other pages than the points before it is measured again. It fails if
// that does not help, and a continued sweep measures it anew. No line gets points on several pages,
// and a store that tells no pages has no line of pages.
func TestPagesOfALine(t *testing.T) {
	const sweep = "get_ratio: 1\nclient_threads: [1, 2]\nduration: 10ms\nwarmup: 0s\nrepeats: 2\nkeys: 10\n"
	for name, row := range map[string]struct {
		pages  string // of the points in the order in which they are measured
		want   string // of the points that are ok
		tries  int
		failed int
		reason string
	}{
		"alike":            {"thp-2m", "thp-2m", 4, 0, ""},
		"none":             {";", "", 4, 0, ""},
		"one is odd":       {"thp-2m;4k;thp-2m", "thp-2m", 5, 0, ""},
		"odd twice":        {"thp-2m;thp-2m;4k;4k;thp-2m", "thp-2m", 6, 0, ""},
		"odd in each try":  {"thp-2m;4k;4k;4k;thp-2m", "thp-2m", 6, 1, "found 4k behind the items, allowed: thp-2m"},
		"several kinds":    {"hugetlb-2m;4k;thp-2m;4k;hugetlb-2m", "hugetlb-2m", 6, 1, "found 4k"},
		"the first is odd": {"4k;thp-2m", "4k", 10, 3, "found thp-2m behind the items, allowed: 4k"},
	} {
		if testing.Short() && name != "one is odd" && row.failed == 0 {
			t.Log("a short run: not each row that ends well")
			continue
		}
		t.Run(name, func(t *testing.T) {
			o, stderr, pids := fakeOptions(t, "client@pages="+row.pages)
			patient(&o)
			write(t, &o, sweep, "")
			sum, err := runFake(t, o)
			if len(sum.Failed) != row.failed || (err != nil) != (row.failed > 0) {
				t.Fatalf("found %+v, %v", sum, err)
			}
			for _, f := range sum.Failed {
				must.Contain(t, f.Reason, row.reason, "as in point "+okPoints(t, o.Dir)[0].ID,
					"in each of 3 tries", "dpukv doctor")
			}
			events := must.Get(os.ReadFile(filepath.Join(pids, "events")))
			if got := strings.Count(string(events(t)), "pages\n"); got != row.tries {
				t.Errorf("the points were measured %d times, want %d", got, row.tries)
			}
			if row.tries > 4 {
				must.Contain(t, stderr.Lines(), "the point is measured again")
			}
			for _, p := range okPoints(t, o.Dir) {
				if p.Pages != row.want {
					t.Errorf("point %s is ok on pages %q, want %q", p.ID, p.Pages, row.want)
				}
			}
			o.command[3] = "client@pages=" + row.want
			if sum, err := runFake(t, o); err != nil || sum.Measured != row.failed {
				t.Errorf("continued: found %+v, %v", sum, err)
			}
		})
	}
}

func okPoints(t *testing.T, dir string) []results.Point {
	return slices.DeleteFunc(readPoints(t, dir), func(p results.Point) bool {
		return p.Status != results.StatusOK
	})
}
