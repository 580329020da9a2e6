package sweep

import (
	"testing"

	"dpukv/internal/test/must"
)

func TestSLO(t *testing.T) {
	s := parsed(t, "slo: p99.9=1500us\n")
	if s.SLO != "p999=1.5ms" || !s.FromPeaks() || len(s.RateShares()) == 0 {
		t.Errorf("found %q", s.SLO)
	}
	if b, err := s.Bound(); err != nil || b.Ns != 1.5e6 {
		t.Errorf("found %v, %v", b, err)
	}
	for _, text := range []string{"p99", "p98=1ms", "200us", "p99=0s"} {
		_, err := Parse("s.yaml", []byte("slo: "+text))
		must.Fail(t, err, "allowed: METRIC=TIME such as p99=200us")
		if err := s.Search(text); err == nil {
			t.Errorf("--slo %s is taken for a bound", text)
		}
	}
	s = parsed(t, "slo: p99=1ms\nrate: [1e5, 1e6]\n")
	const want = "rate: found 100000, 1000000 with slo, allowed: shares"
	must.Fail(t, CheckRates(&s), want)
	for _, text := range []string{"slo: p99=1ms\nrate: [5%, 50%]", "rate: [1, 2]", "slo: p99=1ms"} {
		s := parsed(t, text)
		if err := CheckRates(&s); err != nil {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
