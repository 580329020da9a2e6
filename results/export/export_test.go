package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"dpukv/results"
	"dpukv/results/columns"
	"dpukv/results/resultstest"
)

func sample() []results.Point {
	points := resultstest.Curve(2e6, []int{1, 4}, 2, func(p *results.Point) {
		p.StartedAt = time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	})
	points[1].Warnings = []string{`a "quoted" doubt, with a comma`}
	return append(points, resultstest.Point(resultstest.Failed("no answer\nat all"), func(p *results.Point) {
		p.ClientThreads, p.StartedAt, p.ServerWorkers, p.ServerCPUs = 8, time.Time{}, nil, nil
	}))
}

func written(t *testing.T, format string, points []results.Point) []byte {
	t.Helper()
	write, err := Format(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, points); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	resultstest.Golden(t, "benchfmt.golden", written(t, "benchfmt", sample()))
	resultstest.Golden(t, "csv.golden", some(t, written(t, "csv", sample()),
		"id", "status", "error", "get_ratio", "emulated", "server_cpus", "started_at", "ops", "throughput_ops", "latency_mean_ns",
		"actual_latency_p999_ns", "server_workers", "warnings"))
}

// some has of a CSV the columns with these names, so that a new field of a point changes no golden file.
func some(t *testing.T, data []byte, names ...string) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	for _, row := range rows {
		var kept []string
		for _, name := range names {
			kept = append(kept, row[slices.Index(rows[0], name)])
		}
		if err := out.Write(kept); err != nil {
			t.Fatal(err)
		}
	}
	out.Flush()
	return b.Bytes()
}

// Every field of a point is in the exports, under its own name and with its own value.
func TestEveryFieldIsThere(t *testing.T) {
	p := sample()[0]
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(written(t, "csv", sample()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for i, name := range rows[0] {
		have[name] = rows[1][i]
	}
	delete(fields, "actual")
	for name := range fields {
		if _, ok := have[name]; !ok {
			t.Errorf("no column for %s", name)
		}
	}
	if have["actual_latency_p99_ns"] != fmt.Sprint(p.Actual.P99Ns) || have["server_cpus"] != "[0,1]" {
		t.Errorf("found %q", have)
	}
}

func TestParquetHoldsWhatWasWritten(t *testing.T) {
	points := sample()
	points[0].Emulated = true
	data := written(t, "parquet", points)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	reader := parquet.NewReader(file)
	defer reader.Close()
	rows := make([]parquet.Row, len(points)+1)
	n, err := reader.ReadRows(rows)
	if n != len(points) || err != nil && err != io.EOF {
		t.Fatalf("%d rows, %v", n, err)
	}
	names := map[string]int{}
	for i, path := range file.Schema().Columns() {
		names[path[0]] = i
	}
	for i := range points {
		for _, c := range columns.All() {
			got, want := rows[i][names[c.Name]], cell(&c, &points[i])
			if got.IsNull() != want.IsNull() || !want.IsNull() && got.String() != want.String() {
				t.Errorf("row %d, %s: found %v, want %v", i, c.Name, got, want)
			}
		}
	}
}

// Another reader, which knows nothing of how cells are made, gets the values with their types and units.
func TestParquetIsReadIntoTypes(t *testing.T) {
	type row struct {
		ID         string     `parquet:"id"`
		StartedAt  *time.Time `parquet:"started_at,optional,timestamp(microsecond)"`
		Ops        uint64     `parquet:"ops"`
		Throughput float64    `parquet:"throughput_ops"`
		P99Ns      int64      `parquet:"actual_latency_p99_ns"`
		CPUs       *string    `parquet:"server_cpus,optional"`
	}
	points := sample()
	points[1].Ops = 1<<63 + 1
	data := written(t, "parquet", points)
	rows, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(rows) != len(points) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		p := &points[i]
		if r.ID != p.ID || r.Ops != p.Ops || r.Throughput != p.ThroughputOps || r.P99Ns != p.Actual.P99Ns {
			t.Errorf("row %d: %+v of %+v", i, r, p)
		}
		if (r.StartedAt == nil) != p.StartedAt.IsZero() || r.StartedAt != nil && !r.StartedAt.Equal(p.StartedAt) {
			t.Errorf("row %d: started at %v, want %v", i, r.StartedAt, p.StartedAt)
		}
		if (r.CPUs == nil) != (p.ServerCPUs == nil) || r.CPUs != nil && *r.CPUs != "[0,1]" {
			t.Errorf("row %d: server_cpus of %v", i, p.ServerCPUs)
		}
	}
}

func TestBenchfmtIsReadByItsOwnReader(t *testing.T) {
	r := benchfmt.NewReader(bytes.NewReader(written(t, "benchfmt", sample())), "run")
	n := 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			n++
			if got, ok := rec.Value("p99-sec"); !ok || got < 1e-6 || got > 1 {
				t.Errorf("p99 is %v s, %v", got, ok)
			}
			if !strings.HasPrefix(string(rec.Name), "KV/store=MICA/placement=CH-SH/") || rec.GetConfig("transport") != "tcp" {
				t.Errorf("name %s, transport %s", rec.Name, rec.GetConfig("transport"))
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if n != 4 {
		t.Errorf("%d results, want the 4 that are ok", n)
	}
}

// What is called after a field of a point has that field's unit.
func TestBenchfmtHasTheFieldsUnits(t *testing.T) {
	offered := func(ops float64) results.Point {
		return resultstest.Point(func(p *results.Point) { p.RateOps = ops })
	}
	for _, c := range []struct {
		points []results.Point
		want   []string
	}{
		{[]results.Point{offered(1.5e6)}, []string{"rate-ops: 1500000\n", "/get_ratio=0.95/"}},
		{[]results.Point{offered(1.5e6), offered(2e6)}, []string{"/rate_ops=1500000 ", "/rate_ops=2000000 "}},
	} {
		text := string(written(t, "benchfmt", c.points))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

func TestNothing(t *testing.T) {
	for _, format := range []string{"csv", "parquet", "benchfmt"} {
		written(t, format, nil)
	}
	if _, err := Format("xls"); err == nil || !strings.Contains(err.Error(), "allowed: benchfmt, csv, parquet") {
		t.Errorf("found %v", err)
	}
}
