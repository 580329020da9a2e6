package results

import (
	"fmt"
	"slices"

	"dpukv/internal/numfmt"
)

// SplitByUnlisted names the points that look like repeats, and are none: they differ in what no
// sweep varies, and no other dimension tells.
func SplitByUnlisted(points []Point) (said []string) {
	ok, _ := Split(points)
	varying := Varying(unlisted, ok)
	if varying == nil {
		return nil
	}
	for _, repeats := range Group(listed, ok) {
		for _, d := range Varying(varying, repeats) {
			a := repeats[0]
			b := repeats[slices.IndexFunc(repeats, func(p *Point) bool {
				return d.text(p) != d.text(a)
			})]
			said = append(said, fmt.Sprintf("found %s of one configuration that differ in %s: %s "+
				"is %q, and %s is %q; allowed: one value, as they are no repeats of each other. "+
				"They stay apart: measure them again in a new folder",
				numfmt.Count(len(repeats), "point"), d.name, a.ID, d.Text(a), b.ID, d.Text(b)))
		}
	}
	return said
}
