package report

import (
	"bytes"
	"io"
	"testing"

	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

func TestCompareGolden(t *testing.T) {
	host, dpu := resulttest.Report(1, "Xeon"), resulttest.Report(2, "Cortex-A72")
	dpu.Results[0].Ns = host.Results[0].Ns // the same
	dpu.Results = dpu.Results[:len(dpu.Results)-5]
	var b bytes.Buffer
	must.Do(t, Compare(&b, []Machine{{"host", host}, {"dpu", dpu}}))
	golden(t, "compare.golden", b.Bytes())
}

func TestCompareNeedsSomethingInCommon(t *testing.T) {
	a, b := resulttest.Report(1, "a"), resulttest.Report(1, "b")
	b.Results = b.Results[:0]
	must.Fail(t, Compare(io.Discard, []Machine{{"a", a}, {"b", b}}), "share no function and case")
	if err := Compare(io.Discard, []Machine{{"a", a}}); err == nil {
		t.Error("compared one")
	}
}
