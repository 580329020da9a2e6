package results

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
)

// apartFrom are the fields of a request that need no dimension: others have their values, repeats
// differ in them, or only probes have them.
var apartFrom = []string{
	"key_sizes", "value_sizes", "rate_share", "repeat", "seed", "measure", "settings",
}

// unlisted are the fields of a request that no other dimension has, and what identifies a trace.
// Points that differ in one of them are no repeats of each other, though no sweep varies it: a
// field that somebody forgot to list among the dimensions merges no points.
var unlisted = func() []*Dimension {
	ds := []*Dimension{
		unlistedAs("trace_file", func(p *Point) any { return p.TraceFile.SHA256 }),
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Asked]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		named := func(d *Dimension) bool { return d.name == name }
		if f.Anonymous || slices.ContainsFunc(listed, named) || slices.Contains(apartFrom, name) {
			continue
		}
		ds = append(ds, unlistedAs(name, func(p *Point) any {
			return reflect.ValueOf(&p.Asked).Elem().FieldByIndex(f.Index).Interface()
		}))
	}
	return ds
}()

func unlistedAs(name string, value func(*Point) any) *Dimension {
	d := byText(name, inWords(strings.TrimSuffix(name, "_ns"))+" %s", func(p *Point) string {
		v := value(p)
		if reflect.ValueOf(v).IsZero() {
			return ""
		}
		return fmt.Sprint(v)
	})
	d.unlisted = true
	return d
}

// Unlisted reports whether no sweep varies the dimension. Points tell it only if they differ in it.
func (d *Dimension) Unlisted() bool { return d.unlisted }

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
