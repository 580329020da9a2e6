package results_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestStagesOf(t *testing.T) {
	p := resultstest.Point(func(p *results.Point) { p.MeanNs = 100_000 })
	p.Actual.MeanNs = 60_000
	got := results.StagesOf(&p, 5000, 20_000)
	want := results.Stages{BeforeSendNs: 40_000, ClientQueueNs: 5000, ServerResidenceNs: 20_000, RestNs: 35_000}
	if got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
	sum := 0.0
	for _, s := range got.List() {
		sum += s.Ns
	}
	if sum != p.MeanNs {
		t.Errorf("the list adds up to %v, want %v", sum, p.MeanNs)
	}
}

// TestStagesUnknown checks that a point without the server's part has no field, rather than zeros.
func TestStagesUnknown(t *testing.T) {
	p := resultstest.Point()
	p.Stages = results.StagesOf(&p, 5000, 0)
	text := must.Get(json.Marshal(&p))(t)
	if strings.Contains(string(text), "stages") || p.Stages.List() != nil {
		t.Errorf("found stages without the server's part: %s", text)
	}
}
