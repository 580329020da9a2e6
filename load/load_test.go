package load

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// usual returns a valid load.
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
		"get_ratio: found NaN, allowed: a share from 0 to 1": func(l *Load) { l.GetRatio = math.NaN() },
		"get_ratio: found -0.1":                              func(l *Load) { l.GetRatio = -0.1 },
		"dist: found zipf:101":                               func(l *Load) { l.Dist = "zipf:101" },
		"keys: found 0":                                      func(l *Load) { l.Keys = 0 },
		"key_bytes: found 256":                               func(l *Load) { l.KeyBytes = 256 },
		"only 256 different keys":                            func(l *Load) { l.KeyBytes = 1 },
		"value_bytes: found -1":                              func(l *Load) { l.ValueBytes = -1 },
		"batch: found 0":                                     func(l *Load) { l.Batch = 0 },
		"window: found 65537":                                func(l *Load) { l.Window = 65537 },
		"connections: found 0":                               func(l *Load) { l.Connections = 0 },
		"rate: found +Inf":                                   func(l *Load) { l.RateOps = math.Inf(1) },
		"rate: found -1":                                     func(l *Load) { l.RateOps = -1 },
		"arrivals: found often, allowed: constant, poisson": func(l *Load) {
			l.RateOps, l.Arrivals = 1e6, "often"
		},
		"arrivals: found poisson with rate 0; a closed loop": func(l *Load) { l.Arrivals = Poisson },
		"in batches of 4, allowed with arrivals poisson: 2e+07": func(l *Load) {
			l.RateOps, l.Batch, l.Arrivals = 1e8, 4, Poisson
		},
		"hash: found md4, allowed: ":                                      func(l *Load) { l.Hash = "md4" },
		"hash: found nothing":                                             func(l *Load) { l.Hash = "" },
		"warmup_ns: found -1ns, allowed: ":                                func(l *Load) { l.Warmup = -1 },
		"compute: found -1ns, allowed: a time from 0s to 1s, such as 5us": func(l *Load) { l.Compute = -1 },
		"compute: found 1.000000001s":                                     func(l *Load) { l.Compute = MaxCompute + 1 },
	} {
		l := usual()
		change(&l)
		must.Fail(t, l.Validate(), want)
	}
}

// TestFieldsAreAllOfLoad: each field of the struct has one row with the field's own names. The row
// value_bytes has value_sizes too, and key_bytes has key_sizes.
func TestFieldsAreAllOfLoad(t *testing.T) {
	names := map[string]string{} // of Go, by JSON
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Load]()) {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names[name] = f.Name
		}
	}
	for _, f := range Fields() {
		if names[f.Name] == "" || names[f.Name] != f.ID {
			t.Errorf("the row %s has the ID %s, the struct has %q", f.Name, f.ID, names[f.Name])
		}
		delete(names, f.Name)
		if of, sized := strings.CutSuffix(f.Name, "_bytes"); sized && SizesFor(&f) != nil {
			delete(names, of+"_sizes")
		}
		if f.Key != "" && (f.Title == "" || (f.Label == "") == (f.Noun == "") || f.Allowed == "") {
			t.Errorf("%s: the row lacks something: %+v", f.Name, f)
		}
	}
	if len(names) > 0 {
		t.Errorf("without a row: %v", names)
	}
}

// TestFieldsKeepTheirValues: Set reads what Text writes, and changes nothing else.
func TestFieldsKeepTheirValues(t *testing.T) {
	want := usual()
	want.Mix, want.GetRatio = "ycsb-d", 0.9
	want.Dist, want.RateOps, want.Warmup, want.Seed = Zipf(0.99), 12.5, 1e9, 1<<64-1
	want.Arrivals, want.Requests, want.ReconnectEvery = Poisson, 1000, 10
	want.ValueSizeBy, want.SetAfter = ByKey, SetAfterGet
	want.Trace, want.TraceSpeed, want.TraceSample, want.TraceRange = "a.trace", 4, 64, "5-10"
	want.OnMiss, want.FillDelay, want.ClientWait = FillMisses, time.Millisecond, kvs.WaitPoll
	want.KeyPrefix, want.TTL, want.Compute = "own:", 90*time.Second, 5*time.Microsecond
	var got Load
	for _, f := range Fields() {
		before := got
		if err := f.Set(&got, f.Text(&want)); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if got == before || f.IsZero(&got) || f.Value(&got) != f.Value(&want) {
			t.Errorf("%s: %q made %+v of %+v", f.Name, f.Text(&want), got, before)
		}
		again, err := f.Canonical(f.Text(&want))
		if err != nil || again != f.Text(&want) {
			t.Errorf("%s: %q became %q, %v", f.Name, f.Text(&want), again, err)
		}
		if err := f.Set(&got, "no {sense}"); err == nil {
			t.Errorf("%s: nonsense was taken", f.Name)
		}
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestArrivalsAreOptional: neither points nor IDs contain the default.
func TestArrivalsAreOptional(t *testing.T) {
	l := usual()
	text, err := json.Marshal(l)
	if err != nil || strings.Contains(string(text), "arrivals") {
		t.Errorf("%s, %v", text, err)
	}
	if f := FieldOf("arrivals"); !f.Optional || !f.IsZero(&l) || f.Text(&l) != "constant" {
		t.Errorf("the default is %q", f.Text(&l))
	}
}

func TestFieldsAreShownInTheirUnits(t *testing.T) {
	l := usual()
	l.GetRatio, l.RateOps, l.Hash, l.Compute = 0.07, 2_500_000, "none", 1500*time.Nanosecond
	shown := map[string]string{}
	for _, f := range Axes() {
		shown[f.Name] = f.Shown(&l)
	}
	for name, want := range map[string]string{
		"get_ratio": "7", "rate_ops": "2.5", "hash": "no hash", "batch": "64", "dist": "uniform",
		"compute_ns": "1.5",
	} {
		if shown[name] != want {
			t.Errorf("%s is shown as %q, want %q", name, shown[name], want)
		}
	}
}

func ExampleLoad_Validate() {
	l := Load{
		Workload: Workload{GetRatio: 95, Dist: Uniform, Keys: 1000, KeyBytes: 8, ValueBytes: 8},
		Batch:    64, Window: 1, Connections: 1, Hash: "city64",
	}
	fmt.Println(l.Validate())
	// Output: get_ratio: found 95, allowed: a share from 0 to 1, such as 0.95
}

func ExampleFields() {
	l := Load{Batch: 64}
	for _, f := range Fields() {
		if f.Name == "batch" {
			fmt.Println(f.Set(&l, "128"), f.Text(&l), f.Allowed)
		}
	}
	// Output: <nil> 128 a whole number from 1 to 65536
}
