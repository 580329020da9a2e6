package report

import (
	"bytes"
	"testing"

	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

func TestBenchGolden(t *testing.T) {
	r := resulttest.Report(1, "Cortex-A72")
	r.Results = r.Results[:5]
	var b bytes.Buffer
	must.Do(t, WriteBench(&b, r))
	golden(t, "bench.golden", b.Bytes())
}
