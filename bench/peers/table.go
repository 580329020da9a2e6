package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"dpukv/internal/sample"
	"dpukv/results"
)

// load holds the properties that points of one group of rows have in common.
type load struct {
	threads, batch, connections, window int
	getRatio                            float64
}

func loadOf(p *results.Point) load {
	return load{p.ServerThreads, p.Batch, p.Connections, p.Window, p.GetRatio}
}

const base = "mica"

// table writes a row for each store and load. The rows of each load begin with the base.
func table(w io.Writer, points []results.Point) error {
	groups := map[load]map[string][]results.Point{}
	for _, p := range points {
		l := loadOf(&p)
		if groups[l] == nil {
			groups[l] = map[string][]results.Point{}
		}
		groups[l][p.Store] = append(groups[l][p.Store], p)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "threads\tbatch\tconnections\twindow\tGET\tstore\tMops\tserver CPU ns/op\t× "+
		"mica\tclient CPU ns/op\tp50 µs\tp99 µs\tclient busy\tversion")
	for _, l := range sortedLoads(groups) {
		stores := groups[l]
		multiple := multipleOf(stores[base])
		for _, store := range []string{base, "herd", "memcached", "redis"} {
			of := stores[store]
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%g\t%s\t%.2f\t%s\t%s\t%s\t%.0f\t%.0f\t%.0f %%\t%s\n",
				l.threads, l.batch, l.connections, l.window, l.getRatio, store,
				median(of, func(p *results.Point) float64 {
					return p.ThroughputOps / 1e6
				}), spread(of, "%.0f", serverNs), spread(of, "%.2f", multiple),
				spread(of, "%.0f", func(p *results.Point) float64 { return p.ClientCPUNsPerOp }),
				median(of, results.NamedMetric("p50").Of)/1e3,
				median(of, results.NamedMetric("p99").Of)/1e3,
				median(of, func(p *results.Point) float64 {
					return 100 * p.ClientCPUShare
				}), of[0].ServerVersion)
		}
	}
	return t.Flush()
}

// multipleOf is a point's cost over that of the base in the same repeat, 0 where there is none.
func multipleOf(base []results.Point) func(*results.Point) float64 {
	costs := map[int]float64{}
	for _, p := range base {
		costs[p.Repeat] = p.ServerCPUNsPerOp
	}
	return func(p *results.Point) float64 {
		if costs[p.Repeat] == 0 {
			return 0
		}
		return p.ServerCPUNsPerOp / costs[p.Repeat]
	}
}

func serverNs(p *results.Point) float64 { return p.ServerCPUNsPerOp }

func sortedLoads(groups map[load]map[string][]results.Point) []load {
	var loads []load
	for l := range groups {
		loads = append(loads, l)
	}
	slices.SortFunc(loads, func(a, b load) int {
		if a.getRatio != b.getRatio {
			return int(1e6 * (b.getRatio - a.getRatio))
		}
		return cmp.Or(a.threads-b.threads, a.batch-b.batch, a.window-b.window,
			a.connections-b.connections)
	})
	return loads
}

func values(points []results.Point, of func(*results.Point) float64) (list []float64) {
	for i := range points {
		list = append(list, of(&points[i]))
	}
	return list
}

func median(points []results.Point, of func(*results.Point) float64) float64 {
	return sample.Median(values(points, of))
}

func spread(points []results.Point, verb string, of func(*results.Point) float64) string {
	v := values(points, of)
	return fmt.Sprintf(verb+" ["+verb+", "+verb+"]", sample.Median(v), slices.Min(v), slices.Max(v))
}
