package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"dpukv/results"
	"dpukv/results/runfolder"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peers DPUKV SWEEP.yaml…")
		os.Exit(2)
	}
	for _, sweep := range os.Args[2:] {
		if err := measure(os.Args[1], sweep); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
			os.Exit(1)
		}
	}
}

// measure runs a sweep into a temporary folder, and prints its table.
func measure(dpukv, sweep string) error {
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(dpukv, "sweep", "-f", sweep, "--out", filepath.Join(dir, "run"))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	run, err := runfolder.Open(filepath.Join(dir, "run"))
	if err != nil {
		return err
	}
	points, unreadable, err := run.Points()
	if err != nil || unreadable != nil {
		return fmt.Errorf("read the points: %w (%v)", err, unreadable)
	}
	return table(os.Stdout, points)
}

// load holds the properties that points of one group of rows have in common.
type load struct {
	batch, connections, window int
	getRatio                   float64
}

const base = "mica"

// table writes a row a store and load. The rows of each load begin with the base.
func table(w io.Writer, points []results.Point) error {
	groups := map[load]map[string][]results.Point{}
	for _, p := range points {
		l := load{p.Batch, p.Connections, p.Window, p.GetRatio}
		if groups[l] == nil {
			groups[l] = map[string][]results.Point{}
		}
		groups[l][p.Store] = append(groups[l][p.Store], p)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "batch\tconnections\twindow\tGET\tstore\tMops\tserver CPU ns/op\t× "+
		"mica\tclient CPU ns/op\tp50 µs\tp99 µs\tclient busy\tversion")
	for _, l := range sortedLoads(groups) {
		stores := groups[l]
		mica := median(stores[base], serverNs)
		for _, store := range []string{base, "herd", "memcached", "redis"} {
			of := stores[store]
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(t, "%d\t%d\t%d\t%g\t%s\t%.2f\t%s\t%.1f\t%s\t%.0f\t%.0f\t%.0f %%\t%s\n",
				l.batch, l.connections, l.window, l.getRatio, store,
				median(of, func(p *results.Point) float64 {
					return p.ThroughputOps / 1e6
				}), spread(of, serverNs), median(of, serverNs)/mica,
				spread(of, func(p *results.Point) float64 { return p.ClientCPUNsPerOp }),
				median(of, func(p *results.Point) float64 { return float64(p.P50Ns) / 1e3 }),
				median(of, func(p *results.Point) float64 { return float64(p.P99Ns) / 1e3 }),
				median(of, func(p *results.Point) float64 {
					return 100 * p.ClientCPUShare
				}), of[0].ServerVersion)
		}
	}
	return t.Flush()
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
		return cmp.Or(a.window-b.window, a.connections-b.connections)
	})
	return loads
}

func sorted(points []results.Point, of func(*results.Point) float64) []float64 {
	var values []float64
	for i := range points {
		values = append(values, of(&points[i]))
	}
	slices.Sort(values)
	return values
}

func median(points []results.Point, of func(*results.Point) float64) float64 {
	if len(points) == 0 {
		return 0
	}
	return sorted(points, of)[len(points)/2]
}

func spread(points []results.Point, of func(*results.Point) float64) string {
	v := sorted(points, of)
	return fmt.Sprintf("%.0f [%.0f, %.0f]", v[len(v)/2], v[0], v[len(v)-1])
}
