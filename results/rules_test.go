package results

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dpukv/kvs"
)

// TestEachFieldHasARule: a field of a point is combined in one way, and a way is of a field.
func TestEachFieldHasARule(t *testing.T) {
	ways := map[string]int{}
	for _, r := range allRules() {
		for name := range strings.FieldsSeq(r.fields) {
			ways[name]++
		}
	}
	for name := range strings.FieldsSeq(apart) {
		ways[name]++
	}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for f := range of.Fields() {
			n, said := ways[f.Name]
			delete(ways, f.Name)
			switch {
			case said && n > 1:
				t.Errorf("field %s has %d rules", f.Name, n)
			case !said && f.Anonymous:
				check(f.Type)
			case !said:
				t.Errorf("field %s: say in rules.go what becomes of it where several clients ran at once", f.Name)
			}
		}
	}
	check(reflect.TypeFor[Point]())
	if len(ways) > 0 {
		t.Errorf("rules of fields that do not exist: %v", ways)
	}
}

// TestRules: each rule in one of its fields, with the values of two clients.
func TestRules(t *testing.T) {
	const exact = 1<<60 + 1 // more digits than a float64 has
	seen := func(by string, ops uint64) []ServerWorker { return []ServerWorker{{Ops: ops, CPUShareBy: by}} }
	a := &Point{
		Reached: Reached{Provider: "ibverbs", Transport: "tcp"},
		Asked:   Asked{Setup: kvs.Setup{Mode: "cache"}},
		Used:    Used{PreloadHitRate: 0.9},
		Counted: Counted{Ops: 3, Timeouts: exact, Hits: 1, HitValueBytes: 100, Evicted: 9},
		Cost:    Cost{ClientCPUNsPerOp: 100, ServerCPUShare: 0.4, ClientStolenShare: 0.1},
		Hashing: Hashing{
			ClientHashSamples: 1000, ClientHashShare: 0.1, ClientHashShareCheck: 0.2,
			ClientHashShareBy: "sampling",
		},
		ServerWorkers: seen(ByMeanOfThreads, 7),
	}
	b := &Point{
		Reached: Reached{Provider: "softroce to ibverbs", Transport: "unix", Emulated: true},
		Asked:   Asked{Setup: kvs.Setup{Mode: "store"}},
		Used:    Used{PreloadHitRate: 1},
		Counted: Counted{Ops: 1, Timeouts: 1, Hits: 3, HitValueBytes: 200, Evicted: 8},
		Cost:    Cost{ClientCPUNsPerOp: 300, ServerCPUShare: 0.8, ClientStolenShare: 0.3},
		Hashing: Hashing{
			ClientHashSamples: 3, ClientHashShare: 0.3, ClientHashShareCheck: 0.6,
			ClientHashShareBy: "an estimate",
		},
		ServerWorkers: seen(ByBusiestThread, 5),
	}
	p, differ := combineFields([]*Point{a, b})
	for _, field := range []struct {
		name        string
		found, want any
	}{
		{"a sum", p.Timeouts, uint64(exact + 1)},
		{"a sum of samples", p.ClientHashSamples, 1003},
		{"a mean by hits", p.HitValueBytes, 175.0},
		{"a mean by operations", p.ClientCPUNsPerOp, 150.0},
		{"a mean by CPU time", p.ClientHashShare, 0.2},
		{"the check of that", p.ClientHashShareCheck, 0.4},
		{"the server's", p.ServerCPUShare, 0.6},
		{"the largest", p.ClientStolenShare, 0.3},
		{"the least", p.PreloadHitRate, 0.9},
		{"the server's count", p.Evicted, uint64(9)},
		{"words", p.Provider, "ibverbs, softroce to ibverbs"},
		{"phrases", p.ClientHashShareBy, "sampling; an estimate"},
		{"either", p.Emulated, true},
		{"the workers as the client saw them that sees threads", p.ServerWorkers, b.ServerWorkers},
		{"the first one's", p.Transport, "tcp"},
	} {
		if x, is := field.found.(float64); is {
			field.found = math.Round(x*1e9) / 1e9
		}
		if !reflect.DeepEqual(field.found, field.want) {
			t.Errorf("%s: found %v, want %v", field.name, field.found, field.want)
		}
	}
	want := ReadWarnings("the clients differ in mode: found cache and store. The point has the first one's",
		"the clients differ in transport: found tcp and unix. The point has the first one's")
	if !slices.Equal(differ, want) {
		t.Errorf("found %q, want %q", differ, want)
	}
	b.ServerWorkers = seen(ByMeanOfThreads, 8)
	if p, _ := combineFields([]*Point{a, b}); p.ServerWorkers[0].Ops != 8 {
		t.Errorf("found workers %+v, want those that did the most", p.ServerWorkers)
	}
}
