package run

import (
	"context"
	"fmt"

	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// mostTries is how often a point is measured, at most, that lies on other pages than its line.
const mostTries = 3

// linePages has the first point of each line that tells its pages. A server takes the pages that
// its machine has, so a kernel short of huge pages would make another line of a repeat.
type linePages map[string]*results.Point

// note takes a point that was measured.
func (l linePages) note(p *results.Point) {
	if p.Status != results.StatusOK || p.Pages == "" {
		return
	}
	if line := results.PagesLine(p); l[line] == nil {
		l[line] = &results.Point{Identity: p.Identity, Used: results.Used{Pages: p.Pages}}
	}
}

// differs returns the first point of a point's line, if the two lie on different pages; else nil.
func (l linePages) differs(p *results.Point) *results.Point {
	if first := l[results.PagesLine(p)]; first != nil && !results.SamePages(first, p) {
		return first
	}
	return nil
}

// knownPages takes the points of a folder that the sweep continues.
func (r *runner) knownPages() error {
	r.pages = linePages{}
	points, _, err := r.out.Points()
	for i := range points {
		r.pages.note(&points[i])
	}
	return err
}

// measureOnPages measures a point, and again if it lies on other pages than its line. If that does
// not help, the point fails.
func (r *runner) measureOnPages(ctx context.Context, pt *sweep.Point) (*node.Result, error) {
	for try := 1; ; try++ {
		res, err := r.measure(ctx, pt)
		if err != nil {
			return res, err
		}
		first := r.pages.differs(&res.Point)
		if first == nil {
			return res, nil
		}
		found := fmt.Sprintf("pages: found %s behind the items, allowed: %s, as in point %s of "+
			"the same line", res.Point.Pages, first.Pages, first.ID)
		if try == mostTries {
			return res, fmt.Errorf("%s, in each of %d tries; if huge pages are short, free memory "+
				"or reserve them (dpukv doctor) and resume; if that point is the odd one, measure "+
				"in a new folder", found, try)
		}
		r.report.says(found + ": the point is measured again")
	}
}
