package results

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/field"
	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/internal/spelling"
	"dpukv/kvs"
	"dpukv/load"
)

// Dimension is one property of a point's request or configuration that a sweep may vary. Repeats of
// a point have the same values in all dimensions.
type Dimension struct {
	name  string               // as in the point's JSON
	text  func(*Point) string  // the value, in the field's unit; equal texts are equal values
	num   func(*Point) float64 // orders the values; nil: by rank and text
	rank  func(string) int     // orders the texts before their letters do; nil: all alike
	title string               // in words, with the unit of shown: "GET %"
	shown func(*Point) string  // the value in tables and figures: "95"
	label func(*Point) string  // the value in words: "95 % GET"; "": nothing to say
	// sparse tells that only some points have a value, such as those in halves.
	sparse bool
	// unlisted tells that nobody lists it: see [Dimension.Unlisted].
	unlisted bool
}

// Name is the dimension's name in the point's JSON.
func (d *Dimension) Name() string { return d.name }

// Text is a point's value, in the unit of the field with the dimension's name. Equal texts are
// equal values. The texts of dimensions take one line, whatever is in the point.
func (d *Dimension) Text(p *Point) string { return foreign.Line(d.text(p)) }

// Title is the dimension in words, with the unit of [Dimension.Shown]: "offered Mops".
func (d *Dimension) Title() string { return d.title }

// Shown is a point's value as tables and figures print it below the title.
func (d *Dimension) Shown(p *Point) string { return foreign.Line(d.shown(p)) }

// Label is a point's value in words, or "" if the value needs no words.
func (d *Dimension) Label(p *Point) string { return foreign.Line(d.label(p)) }

// Numeric reports whether the values are numbers, and are ordered as numbers.
func (d *Dimension) Numeric() bool { return d.num != nil }

// Dimensions returns all dimensions, in the order in which labels name them.
func Dimensions() []*Dimension { return slices.Clone(dimensions) }

// FindDimensions returns the dimensions with these names. An unknown name is an error that lists
// all names.
func FindDimensions(names ...string) ([]*Dimension, error) {
	var known []string
	for _, d := range dimensions {
		known = append(known, d.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("dimension: found %q%s, allowed: %s", name,
				spelling.Hint(name, known), strings.Join(known, ", "))
		}
	}
	return Named(names...), nil
}

// dimensions are in the order in which labels name them.
var dimensions = slices.Concat(listed, unlisted)

// listed are the dimensions that sweeps vary, or that servers and machines decide. Fields of the
// load without a place of their own here follow the hash.
var listed = slices.Concat(
	[]*Dimension{
		byText("store", "%s", func(p *Point) string { return kvs.TitleOf(p.Store) }),
		placement,
		titled("submode", submodeName, submodeTitle),
		byText("datapath", "over %s", func(p *Point) string { return p.Datapath }),
		byText("filter", "filter %s", func(p *Point) string { return p.Filter }),
		byText("neighbour", "beside a neighbour of kind %s",
			func(p *Point) string { return p.Neighbour }),
	},
	ofLoad(loadBefore...),
	[]*Dimension{
		byText("transport", "%s", func(p *Point) string { return p.Transport }),
		byText("tls", "%s", func(p *Point) string { return p.TLS }),
		byText("cluster_nodes", "%s", clusterNodes),
		byText("provider", "over %s", func(p *Point) string { return p.Provider }),
		byText("protocol", "%s", func(p *Point) string { return p.Protocol }),
		byText("emulated_testbed", "emulated testbed: %s",
			func(p *Point) string { return p.EmulatedTestbed }),
		counted("server_threads", "server thread", func(p *Point) int { return p.ServerThreads }),
	},
	ofSetup(func(f *kvs.SetupField) bool { return f.Of != "" }),
	[]*Dimension{
		counted("client_threads", "client thread", func(p *Point) int { return p.ClientThreads }),
		byText("loop", "%s loop", loop),
	},
	ofLoad(loadAfter...),
	ofLoad(otherLoad()...),
	ofSetup(func(f *kvs.SetupField) bool { return f.Of == "" }),
	[]*Dimension{
		byText("pages", "%s pages", func(p *Point) string { return p.Pages }),
		byText("build", "build %s", func(p *Point) string { return p.Build }),
		machine,
	},
)

// The fields of the load that have a place of their own among the dimensions.
var (
	loadBefore = []string{"get_ratio", "key_bytes", "value_bytes", "batch"}
	loadAfter  = []string{"rate_ops", "window", "connections", "keys", "dist", "hash"}
)

// otherLoad names the axes of the load without a place of their own.
func otherLoad() []string {
	var names []string
	for _, f := range load.Axes() {
		if !slices.Contains(loadBefore, f.Name) && !slices.Contains(loadAfter, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// ofLoad makes dimensions of the load's fields with these names, in their order.
func ofLoad(names ...string) []*Dimension {
	axes := load.Axes()
	var ds []*Dimension
	for _, name := range names {
		i := slices.IndexFunc(axes, func(f load.Field) bool { return f.Name == name })
		ds = append(ds, ofField(&axes[i], func(p *Point) *load.Load { return &p.Load }))
	}
	return ds
}

// ofSetup makes dimensions of the wanted fields of the server's setup.
func ofSetup(want func(*kvs.SetupField) bool) (ds []*Dimension) {
	for _, f := range kvs.SetupFields() {
		if want(&f) {
			d := ofField(&f, func(p *Point) *kvs.Setup { return &p.Setup })
			d.sparse = f.Of != "" && f.Of != kvs.OfWorkers // without a value, workers sleep
			ds = append(ds, d)
		}
	}
	return ds
}

// ofField makes a dimension of one field of the load, or of the server's setup.
func ofField[S any](f *field.Field[S], in func(*Point) *S) *Dimension {
	shown := func(p *Point) string {
		if f.Optional && f.IsZero(in(p)) || p.TraceDecides(f.Key) {
			return "" // as in points of builds that had no such field
		}
		return f.Shown(in(p))
	}
	d := &Dimension{name: f.Name, text: shown, title: f.Title, shown: shown}
	if f.Numeric {
		d.num = func(p *Point) float64 { return f.Number(in(p)) }
		d.text = func(p *Point) string {
			if shown(p) == "" {
				return ""
			}
			return f.Text(in(p))
		}
	}
	d.label = func(p *Point) string {
		switch {
		case shown(p) == "":
			return ""
		case f.Noun != "":
			return numfmt.Count(int(d.num(p)), f.Noun)
		case f.Name == "rate_ops" && p.RateOps == 0:
			return "" // the loop says it: closed
		case f.Name == "rate_ops" && p.RateOps < 1000:
			return strconv.FormatFloat(p.RateOps, 'g', -1, 64) + " ops/s offered"
		}
		return f.Say(in(p))
	}
	return d
}

func byText(name, say string, value func(*Point) string) *Dimension {
	return &Dimension{
		name: name, text: value, title: inWords(name), shown: value,
		label: func(p *Point) string {
			if value(p) == "" {
				return ""
			}
			return fmt.Sprintf(say, value(p))
		},
	}
}

// titled makes a dimension whose values have titles for people.
func titled(name string, value, title func(*Point) string) *Dimension {
	return &Dimension{name: name, text: value, title: inWords(name), shown: title, label: title}
}

func byNumber(name, say string, value func(*Point) float64) *Dimension {
	text := func(p *Point) string { return plain(value(p)) }
	d := &Dimension{name: name, text: text, num: value, title: inWords(name), shown: text}
	d.label = func(p *Point) string { return fmt.Sprintf(say, d.shown(p)) }
	return d
}

// plain writes a number in full, without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func inWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

func counted(name, thing string, value func(*Point) int) *Dimension {
	d := byNumber(name, "", func(p *Point) float64 { return float64(value(p)) })
	d.label = func(p *Point) string { return numfmt.Count(value(p), thing) }
	return d
}

// clusterNodes counts the nodes of a cluster. A server alone has none.
func clusterNodes(p *Point) string {
	if p.ClusterNodes == nil {
		return ""
	}
	return numfmt.Count(len(p.ClusterNodes), "cluster node")
}

// submodeName writes sm1 as SM1, and leaves off-path and direct alone.
func submodeName(p *Point) string {
	if strings.HasPrefix(p.Submode, "sm") {
		return strings.ToUpper(p.Submode)
	}
	return p.Submode
}

// submodeTitle is empty for a server that ran already: which way packets take to it is not known.
func submodeTitle(p *Point) string {
	if p.IsAttached() {
		return ""
	}
	return submodeName(p)
}

func loop(p *Point) string {
	if p.OpenLoop() {
		return "open"
	}
	return "closed"
}

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

// Named returns the dimensions with these names, in the order of dimensions.
func Named(names ...string) []*Dimension {
	var ds []*Dimension
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

// Without returns ds without the dimensions in not.
func Without(ds, not []*Dimension) []*Dimension {
	return slices.DeleteFunc(slices.Clone(ds), func(d *Dimension) bool {
		return slices.Contains(not, d)
	})
}

// Varying returns the dimensions of ds in which the points differ.
//
// The machine is among them only if points with the same placement differ in it. Otherwise it
// follows from the placement. What only points in halves have, varies if those differ in it.
func Varying(ds []*Dimension, points []*Point) []*Dimension {
	return slices.DeleteFunc(slices.Clone(ds), func(d *Dimension) bool {
		if d == machine {
			return !severalMachines(points)
		}
		first, found := "", false
		for _, p := range points {
			text := d.text(p)
			if text == "" && d.sparse {
				continue
			}
			if found && text != first {
				return false
			}
			first, found = text, true
		}
		return true
	})
}

// Telling returns the dimensions of ds that are needed to tell the points apart. A key size that
// depends on the store, for example, says nothing new next to the store. Earlier dimensions are
// preferred.
func Telling(ds []*Dimension, points []*Point) []*Dimension {
	var kept []*Dimension
	group := make([]int, len(points)) // of each point by those kept
	for _, d := range ds {
		finer := make(map[string]int)
		next, known := make([]int, len(points)), make(map[int]bool)
		for i, p := range points {
			key := strconv.Itoa(group[i]) + " " + d.text(p)
			if _, seen := finer[key]; !seen {
				finer[key] = len(finer)
			}
			next[i], known[group[i]] = finer[key], true
		}
		if len(finer) > len(known) {
			kept, group = append(kept, d), next
		}
	}
	return kept
}

// Labels joins the labels of a point in ds.
func Labels(ds []*Dimension, p *Point) string {
	var words []string
	for _, d := range ds {
		if word := d.Label(p); word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// Common are the labels in ds that all points share. Servers that ran already have one placement,
// and each has a label of its own.
func Common(ds []*Dimension, points []*Point) (labels []string) {
	for _, d := range Without(ds, Varying(ds, points)) {
		label := d.Label(points[0])
		other := func(p *Point) bool { return d.text(p) != "" && d.Label(p) != label }
		if label != "" && !d.unlisted && !slices.ContainsFunc(points, other) {
			labels = append(labels, label)
		}
	}
	return labels
}
