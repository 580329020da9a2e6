package sweep

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
)

func parsed(t *testing.T, text string) Sweep {
	t.Helper()
	return must.Get(Parse("sweep.yaml", []byte(text)))(t)
}

func TestShares(t *testing.T) {
	for text, want := range map[string][]float64{
		"50%":                           {0.5},
		"[10%, 50.5%]":                  {0.1, 0.505},
		"[50%, 10%..30% by 10%]":        {0.1, 0.2, 0.3, 0.5},
		"[10%..35% by 10%, 20%]":        {0.1, 0.2, 0.3},
		"\"10%..95% by 42.5%\"":         {0.1, 0.525, 0.95},
		"[110%]":                        {1.1},
		"10%..70% by 30%":               {0.1, 0.4, 0.7},
		"[ 0.1% , 0.1%..0.3% by 0.1% ]": {0.001, 0.002, 0.003},
	} {
		s := parsed(t, "rate: "+text)
		if got := s.RateShares(); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", text, got, want)
		}
		again := parsed(t, string(s.Marshal()))
		if d := Differences(&s, &again); d != nil {
			t.Errorf("%s: written and read: %v", text, d)
		}
	}
	for text, want := range map[string]string{
		"[10%, 1e6]":          "sweep.yaml:1:13: rate: found 1000000 beside 10%, allowed: only shares",
		"0%":                  "sweep.yaml:1:7: rate: found \"0%\", allowed: operations a second",
		"201%":                "or shares of the peak such as 50%, or a range such as 10%..90% by 20%",
		"10%..90%":            "found \"10%..90%\"",
		"90%..10% by 20%":     "found \"90%..10% by 20%\"",
		"1%..200% by 0.0001%": "found \"1%..200% by 0.0001%\"",
	} {
		_, err := Parse("sweep.yaml", []byte("rate: "+text))
		must.Fail(t, err, want)
	}
}

// TestPeaksComeFirst: the points of a sweep in shares are those of the closed loops.
func TestPeaksComeFirst(t *testing.T) {
	s := parsed(t, "rate: [10%, 50%]\nclient_threads: [1, 2]\nget_ratio: 1\n"+
		"arrivals: [constant, poisson]\nrepeats: 2\n")
	points := s.Points()
	if len(s.Configs()) != 4 || len(points) != 4 {
		t.Fatalf("found %d configurations and %d points of peaks, want 4 and 4", len(s.Configs()), len(points))
	}
	for i := range points {
		if p := &points[i]; p.RateOps != 0 || p.RateShare != 0 || p.Validate() != nil {
			t.Errorf("%s: found %+v, %v", p.ID, p.Config, p.Validate())
		}
	}
}

// TestShareKeepsTheID: a rate that follows from a peak makes the point that the same rate makes.
func TestShareKeepsTheID(t *testing.T) {
	s, plain := parsed(t, "rate: 50%\n"), parsed(t, "rate: 5e5\n")
	config := s.Configs()[0].AtRate(5e5, 0.5)
	if got, want := s.Point(&config, 1).ID, plain.Configs()[0].id(1); got != want {
		t.Errorf("found the ID %s, want %s", got, want)
	}
}

func TestOnlyLeavesThePeaks(t *testing.T) {
	s := parsed(t, "slo: p99=1ms\narrivals: [constant, poisson]\n")
	for _, text := range []string{"rate=10%", "repeat=1"} {
		const want = "rates follow from the peaks"
		_, err := ParseSelection(text, &s)
		must.Fail(t, err, want)
	}
	f, err := ParseSelection("arrivals=poisson,get_ratio=1", &s)
	if err != nil || len(f.KeepConfigs(s.Configs())) != 4 {
		t.Errorf("found %d configurations, %v", len(f.KeepConfigs(s.Configs())), err)
	}
}
