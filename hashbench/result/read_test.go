package result_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/hashbench/result"
	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

// TestReadIsBounded: neither a long file nor a short one with many results uses up the memory.
func TestReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long.json")
	f := must.Get(os.Create(long))(t)
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skipf("no sparse file of a TiB: %v", err)
	}
	many := filepath.Join(dir, "many.json")
	text := `{"kind": "dpukv-hash", "results": [` + strings.Repeat("{},", 100_000) + "{}]}"
	must.Do(t, os.WriteFile(many, []byte(text), 0o600))
	for path, want := range map[string]string{
		long:        "found 1099511627776 bytes, allowed: at most",
		many:        "found 100002 objects, allowed: at most 100000",
		"/dev/zero": "found a device",
		dir:         "found a folder",
	} {
		_, err := result.Read(t.Context(), path)
		must.Fail(t, err, want)
	}
}

// TestParseOlder: throughput of a report of version 1 contains its loop, as in newer ones. Latency is
// unchanged.
func TestParseOlder(t *testing.T) {
	old := resulttest.Report(1, "Xeon")
	old.Schema = 1
	for i := range old.Results {
		x := &old.Results[i]
		x.Ns, x.OverheadNs = x.RawNs.Less(result.Interval{Median: 1.9, Low: 1.9, High: 1.9}), 1.9
	}
	data := must.Get(json.Marshal(old))(t)
	r := must.Get(result.Parse(data))(t)
	for i, x := range r.Results {
		want, overhead := old.Results[i].Ns, 1.9
		if x.Mode == result.Throughput {
			want, overhead = old.Results[i].RawNs, 0
		}
		if x.Ns != want || x.OverheadNs != overhead {
			t.Errorf("%s, %s: %+v less %v, want %+v less %v", x.Function, x.Case, x.Ns, x.OverheadNs, want, overhead)
		}
	}
}

func TestParse(t *testing.T) {
	data := must.Get(json.Marshal(resulttest.Report(1, "Xeon")))(t)
	if r, err := result.Parse(data); err != nil || len(r.Results) != 15 || r.Results[4].GBps() != 262144.0/12000 {
		t.Errorf("%+v, %v", r, err)
	}
	for want, spoil := range map[string]func(*result.Report){
		`kind: found "point"`:         func(r *result.Report) { r.Kind = "point" },
		"schema: found 3":             func(r *result.Report) { r.Schema = 3 },
		`provenance: found "model"`:   func(r *result.Report) { r.Provenance = "model" },
		"results: found none":         func(r *result.Report) { r.Results = nil },
		"within its interval":         func(r *result.Report) { r.Results[0].Ns.Low = 7 },
		"mode: found":                 func(r *result.Report) { r.Results[0].Mode = "" },
		"allowed: 1 B to 1 MiB":       func(r *result.Report) { r.Results[0].MinBytes = -1 },
		"alignment: found 9, allowed": func(r *result.Report) { r.Results[0].Align = 9 },
	} {
		r := resulttest.Report(1, "Xeon")
		spoil(r)
		data := must.Get(json.Marshal(r))(t)
		_, err := result.Parse(data)
		must.Fail(t, err, want)
	}
	if _, err := result.Parse([]byte("{")); err == nil {
		t.Error("parsed half of an object")
	}
}
