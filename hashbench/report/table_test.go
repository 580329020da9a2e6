package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/hashbench/result"
	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, got, 0o666))
	}
	want := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got\n%s", path, got)
	}
}

func TestTableGolden(t *testing.T) {
	r := resulttest.Report(1, "Cortex-A72")
	r.SMHasher = []result.SMHasher{{
		Subject: result.Subject{Function: "city64"}, Bytes: 16, Ns: 8, Cycles: 102.4, CoreCycles: 20,
		Timer: "CNTVCT_EL0 × 64", TimerHz: 12.8e9,
	}}
	r.Warnings = []string{"the core's clock varied from 2.00 to 2.50 GHz"}
	var b bytes.Buffer
	must.Do(t, WriteTable(&b, r))
	golden(t, "table.golden", b.Bytes())
}

// If there are many cases, the table shows the main ones and the number of the others.
func TestManyCases(t *testing.T) {
	r := resulttest.Report(1, "Xeon")
	for align := 1; align <= result.MaxAlign; align++ {
		x := r.Results[0]
		x.Align = align
		r.Results = append(r.Results, x)
	}
	var b bytes.Buffer
	must.Do(t, WriteTable(&b, r))
	if !strings.Contains(b.String(), "7 more cases in the JSON") || strings.Contains(b.String(), "alignment") {
		t.Errorf("got\n%s", b.String())
	}
}

func FuzzWriteTable(f *testing.F) {
	data, _ := json.Marshal(resulttest.Report(1, "Xeon"))
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := result.Parse(data)
		if err != nil {
			return
		}
		if err := WriteTable(io.Discard, r); err != nil {
			t.Error(err)
		}
	})
}
