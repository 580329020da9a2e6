package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FigureOptions says which figures to draw.
type FigureOptions struct {
	Measures []Measure // one figure each; none: DefaultMeasures
	Actual   bool      // latency from the actual send, not from the intended one
	LogX     bool
	LogY     bool
	Bound    *Bound // drawn where the measure is its; nil: none
}

// Drawing is what [Run.DrawFigures] did.
type Drawing struct {
	Paths []string // of the files written
	// Notes are what the reader of the figures must know: points that failed, lines
	// that could not be read.
	Notes []string
}

// DrawFigures draws the charts of a run's points into its figures folder, each as SVG, PNG and CSV,
// and replaces those that are there.
func (r *Run) DrawFigures(o FigureOptions) (Drawing, error) {
	points, bad, err := r.Points()
	if err != nil {
		return Drawing{}, err
	}
	d := Drawing{Notes: leftOut(points, bad)}
	charts := Charts(points)
	if len(charts) == 0 {
		return d, fmt.Errorf("results: run folder %s has nothing to draw: of its %d points none is ok", r.dir, len(points))
	}
	if err := os.MkdirAll(r.FiguresDir(), 0o777); err != nil {
		return d, fmt.Errorf("results: %w", err)
	}
	machines := r.Machines()
	for i := range charts {
		for _, m := range o.measures() {
			f := figure{chart: &charts[i], measure: m, logX: o.LogX, logY: o.LogY, bound: o.boundFor(m), machines: machines}
			paths, err := f.write(r.FiguresDir())
			d.Paths = append(d.Paths, paths...)
			if err != nil {
				return d, fmt.Errorf("results: draw %s: %w", f.stem(), err)
			}
		}
	}
	return d, nil
}

// measures are the chosen ones, each from the chosen send.
func (o FigureOptions) measures() []Measure {
	chosen := o.Measures
	if len(chosen) == 0 {
		chosen, _ = ParseMeasures(DefaultMeasures)
	}
	var list []Measure
	for _, m := range chosen {
		if o.Actual {
			m = m.FromActualSend()
		}
		list = append(list, m)
	}
	return list
}

// boundFor is the bound if it is one of this measure.
func (o FigureOptions) boundFor(m Measure) *Bound {
	if o.Bound == nil || o.Bound.Measure.Name != strings.TrimSuffix(m.Name, actualSuffix) {
		return nil
	}
	return o.Bound
}

// leftOut names what is in a run and in no figure.
func leftOut(points []Point, bad []BadLine) []string {
	var notes []string
	for _, b := range bad {
		notes = append(notes, fmt.Sprintf("left out %s", b))
	}
	_, failed := Split(points)
	for _, p := range failed {
		reason, _, _ := strings.Cut(strings.TrimSpace(p.Error), "\n")
		notes = append(notes, fmt.Sprintf("left out point %s, which failed: %s", p.ID, reason))
	}
	return notes
}

// figure is one chart with a latency chosen.
type figure struct {
	chart    *Chart
	measure  Measure
	logX     bool
	logY     bool
	bound    *Bound // nil: none
	machines []string
}

func (f *figure) stem() string { return f.chart.Stem + "-" + f.measure.Name }

// write writes the figure's files into dir and returns their paths.
func (f *figure) write(dir string) ([]string, error) {
	var paths []string
	for _, format := range []struct {
		ending string
		encode func() ([]byte, error)
	}{
		{".svg", f.svg}, {".png", f.png}, {".csv", f.csv},
	} {
		data, err := format.encode()
		if err != nil {
			return paths, err
		}
		path := filepath.Join(dir, f.stem()+format.ending)
		if err := replaceFile(path, data); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
