package results

import (
	"cmp"
	"slices"
	"strings"
)

// Group splits points by their values in ds, and orders the groups by them.
func Group(ds []*Dimension, points []*Point) [][]*Point {
	places := make([][]int, 0, len(ds)) // by dimension and point
	for _, d := range ds {
		if of, several := d.places(points); several {
			places = append(places, of)
		}
	}
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		for _, of := range places {
			if c := cmp.Compare(of[a], of[b]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(order, compare)
	var groups [][]*Point
	for i, at := range order {
		if i == 0 || compare(order[i-1], at) != 0 {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], points[at])
	}
	return groups
}

// places is the place of each point's value among all values of the points, in their order. It
// reports whether there are several: texts are made once a point, and compared once a value.
func (d *Dimension) places(points []*Point) (of []int, several bool) {
	type value struct {
		number float64
		text   string
	}
	at := map[value]int{}
	var values []value
	of = make([]int, len(points))
	for i, p := range points {
		v := value{text: d.text(p)}
		if d.num != nil {
			v.number = d.num(p)
		}
		if _, known := at[v]; !known {
			at[v], values = len(values), append(values, v)
		}
		of[i] = at[v]
	}
	rank := d.rank
	if rank == nil {
		rank = func(string) int { return 0 }
	}
	slices.SortFunc(values, func(a, b value) int {
		// Of numbers, the text decides, too: distributions of sizes may have the same mean.
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(rank(a.text), rank(b.text)),
			cmp.Compare(a.text, b.text))
	})
	places := make([]int, len(values)) // of the values as they were found
	for place, v := range values {
		places[at[v]] = place
	}
	for i := range of {
		of[i] = places[of[i]]
	}
	return of, len(values) > 1
}

// Key joins a point's values in ds. Points with equal keys are in one group of [Group].
func Key(ds []*Dimension, p *Point) string {
	var key strings.Builder
	for _, d := range ds {
		key.WriteString(d.text(p))
		key.WriteByte(0)
	}
	return key.String()
}
