package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// dimension is one thing that was asked of a point, or used by it, and that a sweep may vary. Repeats
// of a point have the same values in all of them.
type dimension struct {
	name  string               // as in the point's JSON
	text  func(*Point) string  // the value; equal texts are equal values
	num   func(*Point) float64 // orders the values; nil: by text
	label func(*Point) string  // the value in words: "95 % GET"; "": nothing to say
}

// dimensions are all there are, in the order in which labels name them.
var dimensions = []*dimension{
	byText("store", "%s", func(p *Point) string { return storeTitle(p.Store) }),
	byText("placement", "%s", func(p *Point) string { return p.Placement }),
	byText("submode", "%s", func(p *Point) string { return submodeTitle(p.Submode) }),
	byText("datapath", "over %s", func(p *Point) string { return p.Datapath }),
	byText("filter", "filter %s", func(p *Point) string { return p.Filter }),
	byNumber("get_ratio", "%s %% GET", func(p *Point) float64 { return percent(p.GetRatio) }),
	byNumber("key_bytes", "%s B keys", func(p *Point) float64 { return float64(p.KeyBytes) }),
	byNumber("value_bytes", "%s B values", func(p *Point) float64 { return float64(p.ValueBytes) }),
	byNumber("batch", "batch %s", func(p *Point) float64 { return float64(p.Batch) }),
	byText("transport", "%s", func(p *Point) string { return p.Transport }),
	byText("provider", "over %s", func(p *Point) string { return p.Provider }),
	byText("emulated_testbed", "emulated testbed: %s", func(p *Point) string { return p.EmulatedTestbed }),
	counted("server_threads", "server thread", func(p *Point) int { return p.ServerThreads }),
	counted("client_threads", "client thread", func(p *Point) int { return p.ClientThreads }),
	byText("loop", "%s loop", loop),
	rateDimension(),
	byNumber("window", "window %s", func(p *Point) float64 { return float64(p.Window) }),
	counted("connections", "connection", func(p *Point) int { return p.Connections }),
	counted("keys", "key", func(p *Point) int { return p.Keys }),
	byText("dist", "%s", func(p *Point) string { return p.Dist }),
	byText("hash", "%s", func(p *Point) string { return p.Hash }),
	byText("mode", "%s mode", func(p *Point) string { return p.Mode }),
	byText("access", "%s", func(p *Point) string { return strings.ToUpper(p.Access) }),
	byText("pages", "%s pages", func(p *Point) string { return p.Pages }),
}

func byText(name, say string, value func(*Point) string) *dimension {
	return &dimension{name: name, text: value, label: func(p *Point) string {
		if value(p) == "" {
			return ""
		}
		return fmt.Sprintf(say, value(p))
	}}
}

func byNumber(name, say string, value func(*Point) float64) *dimension {
	text := func(p *Point) string { return strconv.FormatFloat(value(p), 'f', -1, 64) }
	return &dimension{name: name, text: text, num: value, label: func(p *Point) string {
		return fmt.Sprintf(say, text(p))
	}}
}

func counted(name, thing string, value func(*Point) int) *dimension {
	d := byNumber(name, "", func(p *Point) float64 { return float64(value(p)) })
	d.label = func(p *Point) string { return count(value(p), thing) }
	return d
}

func rateDimension() *dimension {
	d := byNumber("rate_ops", "%s Mops offered", func(p *Point) float64 { return p.RateOps / 1e6 })
	open := d.label
	d.label = func(p *Point) string {
		if p.RateOps == 0 {
			return "" // the loop says it: closed
		}
		return open(p)
	}
	return d
}

// storeTitle is a store's name as its papers write it.
func storeTitle(store string) string {
	switch store {
	case "mica", "herd":
		return strings.ToUpper(store)
	case "":
		return "(no store)"
	}
	return strings.ToUpper(store[:1]) + store[1:]
}

// submodeTitle writes sm1 as SM1, and leaves off-path and direct alone.
func submodeTitle(submode string) string {
	if strings.HasPrefix(submode, "sm") {
		return strings.ToUpper(submode)
	}
	return submode
}

func loop(p *Point) string {
	if p.RateOps > 0 {
		return "open"
	}
	return "closed"
}

// percent turns a share into per cent, rid of what binary fractions add: 0.07 is 7, not 7.000000000000001.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

// named returns the dimensions with these names, in the order of dimensions.
func named(names ...string) []*dimension {
	var ds []*dimension
	for _, d := range dimensions {
		if slices.Contains(names, d.name) {
			ds = append(ds, d)
		}
	}
	if len(ds) != len(names) {
		panic(fmt.Sprintf("results: not all dimensions: %q", names))
	}
	return ds
}

// without returns those of ds that are not in not.
func without(ds, not []*dimension) []*dimension {
	return slices.DeleteFunc(slices.Clone(ds), func(d *dimension) bool { return slices.Contains(not, d) })
}

// varying returns those of ds in which the points differ.
func varying(ds []*dimension, points []*Point) []*dimension {
	return slices.DeleteFunc(slices.Clone(ds), func(d *dimension) bool {
		for _, p := range points {
			if d.text(p) != d.text(points[0]) {
				return false
			}
		}
		return true
	})
}

// labels joins the labels of a point in ds.
func labels(ds []*dimension, p *Point) string {
	var words []string
	for _, d := range ds {
		if word := d.label(p); word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// compare orders points by ds, the first one first.
func compare(ds []*dimension, a, b *Point) int {
	for _, d := range ds {
		var c int
		if d.num != nil {
			c = cmp.Compare(d.num(a), d.num(b))
		} else {
			c = cmp.Compare(d.text(a), d.text(b))
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// group splits points by their values in ds, and orders the groups by them.
func group(ds []*dimension, points []*Point) [][]*Point {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b *Point) int { return compare(ds, a, b) })
	var groups [][]*Point
	for i, p := range sorted {
		if i == 0 || compare(ds, sorted[i-1], p) != 0 {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], p)
	}
	return groups
}
