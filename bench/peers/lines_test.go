package main

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/performance"
	"dpukv/results"
)

// TestMultiples: a multiple is that of one repeat, in the table and in the result file.
func TestMultiples(t *testing.T) {
	var points []results.Point
	for repeat, costs := range [][2]float64{{100, 600}, {200, 1400}, {100, 800}} {
		for i, store := range []string{"mica", "redis"} {
			var p results.Point
			p.Status, p.Store, p.Repeat, p.ServerCPUNsPerOp = results.StatusOK, store, repeat+1, costs[i]
			p.ServerThreads, p.Batch, p.Connections, p.Window, p.GetRatio = 2, 64, 16, 4, 1
			points = append(points, p)
		}
	}
	points[5].ServerOthersShare = .5
	var out, file strings.Builder
	must.Do(t, table(&out, points))
	if want := "7.00 [6.00, 8.00]"; !strings.Contains(out.String(), want) {
		t.Errorf("want %q in\n%s", want, out.String())
	}
	file.WriteString("pkg: dpukv/bench/peers\n")
	must.Do(t, lines(&file, points))
	f := must.Get(performance.Parse(file.String()))(t)
	const name = "peers.Peers/store=redis/threads=2/batch=64/connections=16/window=4/get=100 x-mica"
	if got := f.Values[name]; len(got) != 2 || got[0] != 6 || got[1] != 7 || len(f.Disturbed[name]) != 1 {
		t.Errorf("found %v and disturbed %v", got, f.Disturbed[name])
	}
}

func TestThreads(t *testing.T) {
	if got := threads("server_threads: 2\n# client_threads: 9\nclient_threads: 1\n"); got != 3 {
		t.Errorf("found %d, want 3", got)
	}
}
