package export

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"dpukv/internal/test/must"
	"dpukv/results/columns"
)

func TestParquetHoldsWhatWasWritten(t *testing.T) {
	points := sample()
	points[0].Emulated = true
	data := written(t, "parquet", points)
	file := must.Get(parquet.OpenFile(bytes.NewReader(data), int64(len(data))))(t)
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

// An independent reader, without knowledge of how cells are made, gets the values with their types
// and units.
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
