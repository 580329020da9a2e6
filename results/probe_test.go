package results_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func probe() results.Point {
	return results.Point{
		Identity: results.Identity{
			Schema: results.SchemaVersion, ID: "memory-a-r1", Status: results.StatusOK,
		},
		Asked: results.Asked{
			Measure: "memory", Settings: map[string]string{"block_bytes": "1024"},
			Placement: "hostA", Repeat: 1,
		},
		Probed:  results.Probed{Figures: map[string]float64{"latency_ns": 1.5}},
		Counted: results.Counted{StartedAt: time.Unix(1, 0).UTC(), DurationNs: 5},
	}
}

// TestProbeLine: a line of a probe has no field that is empty, and reads back as it was.
func TestProbeLine(t *testing.T) {
	p := probe()
	p.Clients = []results.ClientShare{{CPUs: []int{1}}, {Threads: 2}}
	p.RateOps, p.ClientMoved.Sockets.SentBytes = 5, 7 // of an embedded and of a nested struct
	line := must.Get(json.Marshal(p))(t)
	for _, name := range []string{`"ops"`, `"store"`, `"latency_mean_ns"`, `"get_ratio"`} {
		if strings.Contains(string(line), name) {
			t.Errorf("found %s in %s", name, line)
		}
	}
	var back results.Point
	if err := json.Unmarshal(line, &back); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("%v: found %s, got %+v", err, line, back)
	}
	if err := results.Validate(&p); err != nil {
		t.Error(err)
	}
	p = resultstest.LocalPoint()
	line, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(line), `"late_ops":0`) {
		t.Errorf("%v: a store's point lacks an empty field: %s", err, line)
	}
}

func TestInvalidProbe(t *testing.T) {
	for want, change := range map[string]func(*results.Point){
		"store":      func(p *results.Point) { p.Store = "mica" },
		"figures":    func(p *results.Point) { p.Figures = nil },
		"latency_ns": func(p *results.Point) { p.Figures["latency_ns"] = -1 },
		"placement":  func(p *results.Point) { p.Placement = "" },
		"started_at": func(p *results.Point) { p.StartedAt = time.Time{} },
	} {
		p := probe()
		change(&p)
		must.Fail(t, results.Validate(&p), want)
	}
}
