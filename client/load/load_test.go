package load

import (
	"math"
	"strings"
	"testing"
)

// usual is a load that nothing is wrong with.
func usual() Load {
	return Load{
		Workload: Workload{GetRatio: 0.95, Dist: Uniform, Keys: 1000, KeyBytes: 8, ValueBytes: 8},
		Batch:    64, Window: 1, Connections: 1, Hash: "city64",
	}
}

func TestValidate(t *testing.T) {
	l := usual()
	if err := l.Validate(); err != nil {
		t.Errorf("the usual load: %v", err)
	}
	for want, change := range map[string]func(*Load){
		"get_ratio is NaN, allowed is a share from 0 to 1": func(l *Load) { l.GetRatio = math.NaN() },
		"get_ratio is -0.1":           func(l *Load) { l.GetRatio = -0.1 },
		"dist is zipf:1":              func(l *Load) { l.Dist = "zipf:1" },
		"keys is 0":                   func(l *Load) { l.Keys = 0 },
		"key_bytes is 256":            func(l *Load) { l.KeyBytes = 256 },
		"only 256 different keys":     func(l *Load) { l.KeyBytes = 1 },
		"value_bytes is -1":           func(l *Load) { l.ValueBytes = -1 },
		"batch is 0":                  func(l *Load) { l.Batch = 0 },
		"window is 65537":             func(l *Load) { l.Window = 65537 },
		"connections is 0":            func(l *Load) { l.Connections = 0 },
		"rate_ops is +Inf":            func(l *Load) { l.RateOps = math.Inf(1) },
		"rate_ops is -1":              func(l *Load) { l.RateOps = -1 },
		"hash is md4, allowed is":     func(l *Load) { l.Hash = "md4" },
		"hash is not given":           func(l *Load) { l.Hash = "" },
		"warmup_ns is -1ns, allowed ": func(l *Load) { l.Warmup = -1 },
	} {
		l := usual()
		change(&l)
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
