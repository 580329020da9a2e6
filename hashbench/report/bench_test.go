package report

import (
	"bytes"
	"testing"

	"dpukv/hashbench/result/resulttest"
)

func TestBenchGolden(t *testing.T) {
	r := resulttest.Report(1, "Cortex-A72")
	r.Results = r.Results[:5]
	var b bytes.Buffer
	if err := WriteBench(&b, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench.golden", b.Bytes())
}
