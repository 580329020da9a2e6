package figure

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dpukv/results"
	"dpukv/results/internal/atomicfile"
	"dpukv/results/runfolder"
)

// Options says which figures to draw.
type Options struct {
	Metrics []results.LatencyMetric // one figure each; none: DefaultLatencyMetrics
	Actual  bool                    // latency from the actual send, not from the intended one
	LogX    bool
	LogY    bool
	Bound   *results.Bound // drawn in the figures of its metric; nil: none
}

// metrics are the chosen metrics, each from the chosen send.
func (o Options) metrics() []results.LatencyMetric {
	chosen := o.Metrics
	if len(chosen) == 0 {
		chosen, _ = results.ParseLatencyMetrics(results.DefaultLatencyMetrics)
	}
	var list []results.LatencyMetric
	for _, m := range chosen {
		if o.Actual {
			m = m.FromActualSend()
		}
		list = append(list, m)
	}
	return list
}

// boundFor is the bound, if it is a bound of this metric.
func (o Options) boundFor(m results.LatencyMetric) *results.Bound {
	if o.Bound == nil || o.Bound.Metric.Name != m.Intended().Name {
		return nil
	}
	return o.Bound
}

// Drawing is the outcome of [Draw].
type Drawing struct {
	Paths []string // of the files written
	// Warnings name what no figure shows: failed points, and lines of the run that could not be
	// read.
	Warnings []string
}

// Draw draws the charts of a run's points into its figures folder, each as SVG, PNG and CSV. It
// replaces the files that are there.
func Draw(run *runfolder.Run, o Options) (Drawing, error) {
	points, bad, err := run.Points()
	if err != nil {
		return Drawing{}, err
	}
	d := Drawing{Warnings: leftOut(points, bad)}
	charts := results.Charts(points)
	if len(charts) == 0 {
		return d, fmt.Errorf("results: run folder %s has nothing to draw: none of its %d points "+
			"is ok",
			run.Dir(), len(points))
	}
	if err := os.MkdirAll(run.FiguresDir(), 0o777); err != nil {
		return d, fmt.Errorf("results: %w", err)
	}
	machines := run.Machines()
	for i := range charts {
		for _, m := range o.metrics() {
			f := figure{
				chart: &charts[i], metric: m, logX: o.LogX, logY: o.LogY,
				bound: o.boundFor(m), machines: machines,
			}
			paths, err := f.write(run.FiguresDir())
			d.Paths = append(d.Paths, paths...)
			if err != nil {
				return d, fmt.Errorf("results: draw %s: %w", f.stem(), err)
			}
		}
	}
	return d, nil
}

// leftOut names what is in a run but in no figure.
func leftOut(points []results.Point, bad []runfolder.BadLine) []string {
	var warnings []string
	for _, b := range bad {
		warnings = append(warnings, fmt.Sprintf("left out %s", b))
	}
	_, failed := results.Split(points)
	for _, p := range failed {
		reason, _, _ := strings.Cut(strings.TrimSpace(p.Error), "\n")
		warnings = append(warnings,
			fmt.Sprintf("left out point %s, which failed: %s", p.ID, reason))
	}
	return warnings
}

// figure is one chart for one latency metric.
type figure struct {
	chart    *results.Chart
	metric   results.LatencyMetric
	logX     bool
	logY     bool
	bound    *results.Bound // nil: none
	machines []string
}

func (f *figure) stem() string { return f.chart.Stem + "-" + f.metric.Name }

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
		if err := atomicfile.Replace(path, data); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
