package figure

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/folder"
	"dpukv/results"
	"dpukv/results/probechart"
	"dpukv/results/runfolder"
)

// Drawing is the outcome of [Draw].
type Drawing struct {
	Paths []string // of the files written
	// Warnings name what no figure shows: failed points, and lines of the run that could not be
	// read.
	Warnings []string
}

// Draw draws a run's points into its figures folder: its charts, those of its probes, or a figure
// of the study. It replaces the files that are there.
func Draw(run *runfolder.Run, o Options) (Drawing, error) {
	all, bad, err := run.All()
	if err != nil {
		return Drawing{}, err
	}
	d := Drawing{Warnings: leftOut(all, bad)}
	if ok, _ := results.Split(all); len(ok) == 0 {
		return d, fmt.Errorf("run folder %s has nothing to draw: none of its %d points "+
			"is ok", run.Dir(), len(all))
	}
	list, err := o.drawables(all, run)
	if err != nil {
		return d, fmt.Errorf("run folder %s: %w", run.Dir(), err)
	}
	dir, err := o.folder(run)
	if err != nil {
		return d, err
	}
	for _, f := range list {
		paths, err := write(f, dir, o.formats())
		d.Paths = append(d.Paths, paths...)
		if err != nil {
			return d, fmt.Errorf("draw %s: %w", f.name(), err)
		}
	}
	return d, nil
}

// folder is where the figures go.
func (o *Options) folder(run *runfolder.Run) (*folder.Folder, error) {
	if o.Dir == "" {
		return run.Figures()
	}
	return folder.Create(o.Dir)
}

// drawables are the figures of stores and then those of probes, or the one of the study.
func (o *Options) drawables(all []results.Point, run *runfolder.Run) ([]drawable, error) {
	machines := run.Machines()
	stores, probes := probechart.Separate(all)
	var list []drawable
	if o.Probes == 0 && (len(stores) > 0 || o.Study != nil) {
		figures, err := o.figures(stores)
		if err != nil {
			return nil, err
		}
		for _, f := range figures {
			f.machines = machines
			list = append(list, f)
		}
		list = append(list, o.besideFigures(stores, machines)...)
	}
	if o.Study != nil {
		return list, nil
	}
	env, _, err := run.Env()
	if err != nil {
		return nil, err
	}
	figures, err := o.probeFigures(probes, probechart.NewNodes(env))
	if err != nil {
		return nil, err
	}
	for _, f := range figures {
		f.machines = machines
		list = append(list, f)
	}
	return list, nil
}

// leftOut names what is in a run but in no figure.
func leftOut(points []results.Point, bad []runfolder.BadLine) []string {
	var warnings []string
	for _, b := range bad {
		warnings = append(warnings, b.Said())
	}
	_, failed := results.Split(points)
	for _, p := range failed {
		reason, _, _ := strings.Cut(strings.TrimSpace(p.Error), "\n")
		warnings = append(warnings,
			fmt.Sprintf("left out point %s, which failed: %s", p.ID, reason))
	}
	return warnings
}

// figures are the figures of points, with their axes.
func (o *Options) figures(points []results.Point) ([]*figure, error) {
	figures, err := o.withoutAxes(points)
	if err != nil {
		return nil, err
	}
	var all []*panel
	for _, f := range figures {
		f.layout = o.Layout
		all = append(all, f.panels...)
		setAxes(f.panels, o.SharedAxes || o.Study == nil) // panels of one chart are compared
	}
	if o.SharedAxes {
		setAxes(all, true)
	}
	return figures, nil
}

func (o *Options) withoutAxes(points []results.Point) ([]*figure, error) {
	if o.Study != nil {
		f, err := o.Study.figure(points, o)
		return []*figure{f}, err
	}
	ok, _ := results.Split(points)
	metrics := o.metrics(ok)
	var figures []*figure
	charts := results.Charts(points)
	for i := range charts {
		panels, rows := rowByRow(charts[i].Panels())
		for _, m := range metrics {
			f := &figure{
				stem: charts[i].Stem + "-" + m.Stem(), title: charts[i].Title, metrics: 1,
				rows: rows,
			}
			for j := range panels {
				p := o.panel(&panels[j], m)
				p.heading, p.decorated = panels[j].Title, true
				f.panels = append(f.panels, p)
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// rowByRow lists the charts of columns, and says in how many rows they stand. Columns of different
// lengths stand in one row.
func rowByRow(columns [][]results.Chart) (charts []results.Chart, rows int) {
	rows = len(columns[0])
	unequal := func(column []results.Chart) bool { return len(column) != rows }
	if len(columns) == 1 || slices.ContainsFunc(columns, unequal) {
		return slices.Concat(columns...), 1
	}
	for row := range rows {
		for _, column := range columns {
			charts = append(charts, column[row])
		}
	}
	return charts, rows
}

// panel makes the panel of a chart and a metric.
func (o *Options) panel(c *results.Chart, m *results.Metric) *panel {
	return &panel{
		chart: c, metric: m, logX: o.LogX, logY: o.LogY, bound: o.boundFor(m), clip: !o.NoClip,
	}
}

// figure is one or several panels under one title and one legend.
type figure struct {
	stem     string // begins the names of its files
	title    string // made from the points
	panels   []*panel
	metrics  int // of the panels: those of the first metric come first
	rows     int // of the panels of one metric; 0: one
	layout   Layout
	machines []string
	notes    []string // further conditions
}

// shownTitle is the title of the page, or "" for none.
func (f *figure) shownTitle() string { return f.layout.title(f.title) }

// charts are the charts of the panels.
func (f *figure) charts() []*results.Chart {
	var charts []*results.Chart
	for _, p := range f.panels[:len(f.panels)/f.metrics] {
		charts = append(charts, p.chart)
	}
	return charts
}

// points are all points on the lines of the figure.
func (f *figure) points() []*results.Point {
	var points []*results.Point
	for _, c := range f.charts() {
		points = append(points, c.Points()...)
	}
	return points
}

func (f *figure) name() string { return f.stem }

// write writes a figure's files into dir and returns their paths.
func write(f drawable, dir *folder.Folder, names []string) ([]string, error) {
	var paths []string
	for _, format := range formats {
		if !slices.Contains(names, format.name) {
			continue
		}
		data, err := format.encode(f)
		if err != nil {
			return paths, err
		}
		name := f.name() + "." + format.name
		if err := dir.Replace(name, data); err != nil {
			return paths, err
		}
		paths = append(paths, dir.Path(name))
	}
	return paths, nil
}
