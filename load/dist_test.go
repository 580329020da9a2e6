package load

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseDist(t *testing.T) {
	for text, want := range map[string]string{
		"uniform": "uniform", "zipf:0": "uniform", "zipf:0.99": "zipf:0.99", "zipf:.5": "zipf:0.5",
		"zipf:0.999999": "zipf:0.999999", "zipf:1": "zipf:1", "zipf:1.20": "zipf:1.2",
		"zipf:100": "zipf:100", "hotspot:.2:0.80": "hotspot:0.2:0.8", "hotspot:0.1:0": "hotspot:0.1:0",
		"gaussian": "gaussian:0.5:0.1667", "gaussian:0:1": "gaussian:0:1",
		"gaussian:-0:1": "gaussian:0:1", "latest": "latest:0.99", "latest:1.10": "latest:1.1",
		"sequential": "sequential",
	} {
		d, err := ParseDist(text)
		if err != nil || string(d) != want {
			t.Errorf("ParseDist(%q) = %v, %v, want %s", text, d, err, want)
		}
	}
	for _, text := range []string{
		"", "zipf", "zipf:", "zipf:101", "zipf:-0.1", "zipf:1:2", "zipf:Inf", "hotspot",
		"hotspot:0.2", "hotspot:0:0.5", "hotspot:1:0.5", "hotspot:0.2:1.1", "hotspot:NaN:0.5",
		"gaussian:0.5", "gaussian:0.5:0", "gaussian:1.1:0.1", "latest:", "latest:-1",
		"sequential:1", "zipf:NaN", "zipf:x", "0.99", "Uniform",
		"uniform:0.5",
	} {
		if d, err := ParseDist(text); err == nil || !strings.Contains(err.Error(), "zipf:T") {
			t.Errorf("ParseDist(%q) = %v, %v, want an error that says what is allowed", text, d, err)
		}
	}
}

func TestDistJSON(t *testing.T) {
	before := Workload{Keys: 5, Dist: Zipf(0.99)}
	text, err := json.Marshal(before)
	if err != nil || !strings.Contains(string(text), `"dist":"zipf:0.99"`) {
		t.Fatalf("%s, %v", text, err)
	}
	var after Workload
	if err := json.Unmarshal(text, &after); err != nil || after != before {
		t.Errorf("%+v became %+v, %v", before, after, err)
	}
	l := usual()
	if err := json.Unmarshal([]byte(`{"dist":"zipf:700"}`), &l); err != nil || l.Validate() == nil {
		t.Errorf("zipf:700 was taken: %v", err)
	}
}
