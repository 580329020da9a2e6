package results

import (
	"fmt"
	"hash/crc32"
	"strings"

	"dpukv/internal/foreign"
)

// Chart holds the curves of one figure: latency over throughput, one line a configuration.
type Chart struct {
	Stem  string // begins the names of its files: "mica-get95"
	Title string
	Lines []Line
	// Failed are the chart's points that failed.
	Failed []*Point
}

// Line is one configuration along its axis.
type Line struct {
	Label string     // what tells it from the other lines of its store
	Style int        // a label has the same style in every chart of its store
	Axis  *Dimension // what is swept along the line
	Marks []Mark     // in the axis's order
}

// Mark is one configuration at one value of the axis.
type Mark struct {
	AxisValue string   // as it is shown below the axis's name
	Repeats   []*Point // at least one
}

// Throughput is in operations a second.
func (m *Mark) Throughput() Spread { return m.Of(Throughput) }

// Tells reports whether all repeats tell a metric.
func (m *Mark) Tells(metric *Metric) bool {
	return Count(m.Repeats, metric.Measured) == len(m.Repeats)
}

// Of is a metric, in its base unit.
func (m *Mark) Of(metric *Metric) Spread { return SpreadBy(m.Repeats, metric.Of) }

// Points are all points on the chart's lines.
func (c *Chart) Points() []*Point {
	var all []*Point
	for _, l := range c.Lines {
		for _, m := range l.Marks {
			all = append(all, m.Repeats...)
		}
	}
	return all
}

// MaxOverviewLines is the number of lines that a reader can tell apart in black and white.
const MaxOverviewLines = 12

// Charts sorts points into charts. Each store gets one chart a GET share (and a key and value size,
// if several were measured). A store with several GET shares also gets an overview with all of
// them. Charts omits an overview that would have too many lines.
func Charts(points []Point) []Chart { return chartsAlong(axisOf, points) }

// ChartsAlong are charts as [Charts] makes them, with lines along the named dimension.
func ChartsAlong(axis string, points []Point) []Chart {
	along := Named(axis)[0]
	return chartsAlong(func([]*Point) *Dimension { return along }, points)
}

// axis chooses the dimension along which the lines of points go.
type axis func([]*Point) *Dimension

func chartsAlong(along axis, points []Point) []Chart {
	ok, failed := Split(points)
	sizes := Named("key_bytes", "value_bytes")
	var charts []Chart
	for _, store := range Group(Named("store"), ok) {
		bySize := append(Named("store"), Varying(sizes, store)...)
		byShare := append(Named("store", "get_ratio"), Varying(sizes, store)...)
		charts = append(charts, chartsBy(byShare, along, store, failed)...)
		if len(Varying(Named("get_ratio"), store)) == 0 {
			continue
		}
		for _, c := range chartsBy(bySize, along, store, failed) {
			if len(c.Lines) <= MaxOverviewLines {
				charts = append(charts, c)
			}
		}
	}
	return charts
}

// ChartsByShare returns a chart for each GET share of one store's points. Its lines tell all other
// properties apart.
func ChartsByShare(store []Point) []Chart {
	ok, failed := Split(store)
	return chartsBy(Named("store", "get_ratio"), axisOf, ok, failed)
}

// Split separates the points that are ok from those that failed.
func Split(points []Point) (ok, failed []*Point) {
	for i := range points {
		if points[i].Status == StatusOK {
			ok = append(ok, &points[i])
		} else {
			failed = append(failed, &points[i])
		}
	}
	return ok, failed
}

// GroupBy splits points by a key. The groups are in the order of their first points.
func GroupBy[K comparable](points []*Point, key func(*Point) K) (groups [][]*Point) {
	at := map[K]int{}
	for _, p := range points {
		i, known := at[key(p)]
		if !known {
			i = len(groups)
			at[key(p)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// IsEmulated reports whether software replaces hardware of the point.
func (p *Point) IsEmulated() bool { return p.Emulated }

// HasWarnings reports whether there are reasons to doubt the point.
func (p *Point) HasWarnings() bool { return len(p.Warnings) > 0 }

// Count returns how many points hold a condition.
func Count(points []*Point, is func(*Point) bool) (n int) {
	for _, p := range points {
		if is(p) {
			n++
		}
	}
	return n
}

// chartsBy makes a chart of each group of a store's points by ds.
func chartsBy(ds []*Dimension, along axis, store, failed []*Point) []Chart {
	drawer := newLineDrawer(Without(dimensions, ds), along, store)
	failedBy := map[string][]*Point{}
	for _, f := range failed {
		failedBy[Key(ds, f)] = append(failedBy[Key(ds, f)], f)
	}
	var charts []Chart
	for _, g := range Group(ds, store) {
		charts = append(charts, Chart{
			Stem: stem(ds, g[0]), Title: TitleOf(g), Lines: drawer.lines(g),
			Failed: failedBy[Key(ds, g[0])],
		})
	}
	return charts
}

// stem names a chart by its values in ds, with only characters that are safe in a file name.
func stem(ds []*Dimension, p *Point) string {
	tags := map[string]string{
		"store": "", "get_ratio": "get", "key_bytes": "key", "value_bytes": "value",
	}
	var parts []string
	for _, d := range ds {
		value := d.Shown(p)
		if d.name == "store" {
			value = p.Store
		}
		parts = append(parts, tags[d.name]+value)
	}
	return fileName(strings.Join(parts, "-"))
}

// maxFileName leaves room for what is added to the name of a file, of 255 bytes.
const maxFileName = 120

// fileName is a text as the name of a file. What is cut off a long one still tells names apart.
func fileName(text string) string {
	name := strings.NewReplacer("/", "_", ":", "_", " ", "_", `\`, "_").Replace(foreign.Line(text))
	if len(name) > maxFileName {
		end := fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(text)))
		name = strings.ToValidUTF8(name[:maxFileName-len(end)], "") + end
	}
	return name
}

// TitleDimensions are those that a title states, if they do not vary.
func TitleDimensions() []*Dimension {
	return Named("store", "get_ratio", "key_bytes", "value_bytes", "batch")
}

// TitleOf states what all points of a chart have in common.
func TitleOf(points []*Point) string {
	said := TitleDimensions()
	return Labels(Without(said, Varying(said, points)), points[0])
}

// lineDrawer makes the lines of all charts of one store. The charts therefore agree on labels and
// styles.
type lineDrawer struct {
	dims   []*Dimension // those that don't tell charts apart
	said   []*Dimension // the dimensions that vary; the labels consist of these
	axes   map[string]*Dimension
	styles map[string]int
}

func newLineDrawer(dims []*Dimension, along axis, store []*Point) *lineDrawer {
	d := &lineDrawer{
		dims: dims, said: Varying(dims, store),
		axes: make(map[string]*Dimension), styles: make(map[string]int),
	}
	for _, g := range Group(Named("loop"), store) {
		d.axes[loop(g[0])] = along(g)
	}
	for _, g := range Group(d.said, store) {
		label := d.label(g[0])
		if _, known := d.styles[label]; !known {
			d.styles[label] = len(d.styles)
		}
	}
	return d
}

func (d *lineDrawer) label(p *Point) string {
	said := Without(d.said, []*Dimension{d.axes[loop(p)]})
	if label := Labels(said, p); label != "" {
		return label
	}
	return placementTitle(p)
}

func (d *lineDrawer) lines(points []*Point) []Line {
	var lines []Line
	for _, sameLoop := range Group(Named("loop"), points) {
		axis := d.axes[loop(sameLoop[0])]
		for _, g := range Group(Without(d.dims, []*Dimension{axis}), sameLoop) {
			label := d.label(g[0])
			lines = append(lines, Line{
				Label: label, Style: d.styles[label], Axis: axis, Marks: marks(axis, g),
			})
		}
	}
	return lines
}

// Lines sorts the points that are ok into lines, one a configuration, regardless of their charts.
// The lines have no styles.
func Lines(points []Point) []Line {
	ok, _ := Split(points)
	return LinesOf(ok)
}

// LinesOf is [Lines] of points that are all ok.
func LinesOf(ok []*Point) []Line {
	var lines []Line
	for _, store := range Group(Named("store"), ok) {
		lines = append(lines,
			newLineDrawer(Without(dimensions, Named("store")), axisOf, store).lines(store)...)
	}
	return lines
}

// axisOf is the axis of the points: the first candidate dimension that varies. The points are of
// one store, all with an open or all with a closed loop. The candidates are the dimensions that
// raise a load.
func axisOf(points []*Point) *Dimension {
	candidates := []string{
		"rate_ops", "client_threads", "window", "batch", "connections", "server_threads",
	}
	for _, name := range candidates {
		if varying := Varying(Named(name), points); len(varying) > 0 {
			return varying[0]
		}
	}
	return Named("client_threads")[0]
}

// marks sorts the points of a line into marks, in the axis's order.
func marks(axis *Dimension, line []*Point) []Mark {
	var list []Mark
	for _, repeats := range Group([]*Dimension{axis}, line) {
		list = append(list, Mark{AxisValue: axis.shown(repeats[0]), Repeats: repeats})
	}
	return list
}
