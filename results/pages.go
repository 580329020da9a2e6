package results

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
)

// memoryless are the dimensions of a load, which the memory of a server does not depend on.
var memoryless = []string{
	"pages", "loop", "rate_ops", "arrivals", "client_threads", "window", "batch", "connections",
}

// PagesLine names the points that must lie on the same kind of pages: those of one server, whatever
// its load. Points on other pages are no points of that line.
func PagesLine(p *Point) string {
	return fmt.Sprintf("%d\x00%s", p.Source, Key(Without(dimensions, Named(memoryless...)), p))
}

// SamePages reports whether two points lie on the same kind of pages, as far as both tell it. Older
// builds told no size of transparent huge pages.
func SamePages(a, b *Point) bool {
	is := func(a, b string) bool { return a == "" || a == b || strings.HasPrefix(b, a+"-") }
	return is(a.Pages, b.Pages) || is(b.Pages, a.Pages)
}

// SplitByPages names the lines that are split, since some of their points lie on other pages. A
// sweep fails such points. Those of older builds did not.
func SplitByPages(points []Point) (said []string) {
	ok, _ := Split(points)
	ok = slices.DeleteFunc(ok, func(p *Point) bool { return p.Pages == "" })
	split := func(line []*Point) bool {
		return slices.ContainsFunc(line, func(p *Point) bool { return !SamePages(p, line[0]) })
	}
	if !split(ok) {
		return nil
	}
	for _, line := range GroupBy(ok, PagesLine) {
		if !split(line) {
			continue
		}
		few := slices.MinFunc(Group(Named("pages"), line), func(a, b []*Point) int {
			return len(a) - len(b)
		})
		other := line[slices.IndexFunc(line, func(p *Point) bool { return !SamePages(p, few[0]) })]
		said = append(said, fmt.Sprintf("found %d of %s on pages %s, such as %s, and others on "+
			"pages %s, such as %s, allowed: the same pages for all points of a line. They are "+
			"lines of their own: measure the sweep again in a new folder", len(few),
			numfmt.Count(len(line), "point"), few[0].Pages, few[0].ID, other.Pages, other.ID))
	}
	return said
}
