package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func sample() []results.Point {
	points := resultstest.Curve(2e6, []int{1, 4}, 2, func(p *results.Point) {
		p.StartedAt = time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	})
	points[1].Warnings = results.ReadWarnings(`a "quoted" doubt, with a comma`)
	return append(points, resultstest.Point(resultstest.Failed("no answer\nat all"), func(p *results.Point) {
		p.ClientThreads, p.StartedAt, p.ServerWorkers, p.ServerCPUs = 8, time.Time{}, nil, nil
	}))
}

func written(t *testing.T, format string, points []results.Point) []byte {
	t.Helper()
	write := must.Get(Format(format))(t)
	var b bytes.Buffer
	must.Do(t, write(&b, points))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	resultstest.Golden(t, "benchfmt.golden", written(t, "benchfmt", sample()))
	resultstest.Golden(t, "csv.golden", some(t, written(t, "csv", sample()),
		"id", "status", "error", "get_ratio", "emulated", "server_cpus", "started_at", "ops", "throughput_ops",
		"latency_mean_ns",
		"actual_latency_p999_ns", "server_workers", "warnings"))
}

// some keeps the columns of a CSV with these names. A new field of a point then changes no golden
// file.
func some(t *testing.T, data []byte, names ...string) []byte {
	t.Helper()
	rows := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	for _, row := range rows {
		var kept []string
		for _, name := range names {
			kept = append(kept, row[slices.Index(rows[0], name)])
		}
		must.Do(t, out.Write(kept))
	}
	out.Flush()
	return b.Bytes()
}

// Every field of a point is in the exports, under its own name and with its own value.
func TestEveryFieldIsThere(t *testing.T) {
	p := sample()[0]
	p.LatencyInterval = results.LatencyInterval{P99LoNs: 180e3, P99HiNs: 220e3}
	text := must.Get(json.Marshal(p))(t)
	var fields map[string]any
	must.Do(t, json.Unmarshal(text, &fields))
	rows := must.Get(csv.NewReader(bytes.NewReader(written(t, "csv", []results.Point{p}))).ReadAll())(t)
	have := map[string]string{}
	for i, name := range rows[0] {
		have[name] = rows[1][i]
	}
	delete(fields, "actual")
	delete(fields, "latency_interval")
	if have["latency_interval_p99_lo_ns"] != "180000" || have["latency_interval_p99_hi_ns"] != "220000" {
		t.Errorf("p99 is from %q to %q", have["latency_interval_p99_lo_ns"], have["latency_interval_p99_hi_ns"])
	}
	for name := range fields {
		if _, ok := have[name]; !ok {
			t.Errorf("no column for %s", name)
		}
	}
	if have["actual_latency_p99_ns"] != fmt.Sprint(p.Actual.P99Ns) || have["server_cpus"] != "[0,1]" {
		t.Errorf("found %q", have)
	}
}

func TestNothing(t *testing.T) {
	for _, format := range []string{"csv", "parquet", "benchfmt"} {
		written(t, format, nil)
	}
	_, err := Format("xls")
	must.Fail(t, err, "allowed: benchfmt, csv, parquet")
}
