package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/machine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A difference may be as small, and as great, as both intervals allow.
func TestIntervalOfADifference(t *testing.T) {
	got := Interval{Median: 10, Low: 9, High: 12}.Less(Interval{Median: 2, Low: 1, High: 4})
	if want := (Interval{Median: 8, Low: 5, High: 11}); got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

// made is a report of figures that were made up, times a factor.
func made(factor float64, cpu string) *Report {
	r := &Report{
		Kind: Kind, Schema: Schema, Version: "v1.2.3", Provenance: Measured, Rounds: 25, RoundNs: 4_000_000, Seed: 1,
		StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), DurationNs: 20e9,
		Machine: machine.Facts{CPUModel: cpu, Arch: "aarch64", GoVersion: "go1.26", GoArchLevel: "GOARM64=v8.0"},
		Clock: Clock{
			CPU: 7, CoreHz: 2.5e9, CoreMinHz: 2.5e9, CoreMaxHz: 2.5e9, CoreSource: FromChain,
			Counter: "CNTVCT_EL0", CounterHz: 200e6, CounterSource: "CNTFRQ_EL0",
		},
		Overheads: []Overhead{
			{Mode: "latency", Lengths: "fixed", Words: 1, Ns: Interval{1.7, 1.69, 1.72}, LeftNs: 0.012},
			{Mode: "throughput", Lengths: "fixed", Words: 1, Ns: Interval{1.9, 1.88, 1.93}},
		},
		Warnings: []string{},
	}
	for i, name := range []string{"city64", "city64@module", "fnv1a-64"} {
		variant := []string{"tuned", "module", "purego"}[i]
		for j, c := range MainCases() {
			ns := factor * float64(i+1) * []float64{6.25, 2.5, 8, 8.5, 12_000}[j]
			r.Results = append(r.Results, Result{
				Subject: Subject{Function: name, Family: "F", Bits: 64, Module: "m v1.0.0", Variant: variant}, Case: c,
				Ns: Interval{ns, ns * 0.99, ns * 1.02}, RawNs: Interval{ns + 1.7, ns + 1.6, ns + 1.8}, OverheadNs: 1.7, Calls: 1000,
				RoundsNs: []float64{ns + 1.6, ns + 1.7, ns + 1.8},
			})
		}
	}
	return r
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got\n%s", path, got)
	}
}

func TestTableGolden(t *testing.T) {
	r := made(1, "Cortex-A72")
	r.SMHasher = []SMHasher{{
		Subject: Subject{Function: "city64"}, Bytes: 16, Ns: 8, Cycles: 102.4, CoreCycles: 20, Timer: "CNTVCT_EL0 × 64", TimerHz: 12.8e9,
	}}
	r.Warnings = []string{"the core's clock varied from 2.00 to 2.50 GHz"}
	var b bytes.Buffer
	if err := WriteTable(&b, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.golden", b.Bytes())
}

func TestCompareGolden(t *testing.T) {
	host, dpu := made(1, "Xeon"), made(2, "Cortex-A72")
	dpu.Results[0].Ns = host.Results[0].Ns // the same
	dpu.Results = dpu.Results[:len(dpu.Results)-5]
	var b bytes.Buffer
	if err := Compare(&b, []Machine{{"host", host}, {"dpu", dpu}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.golden", b.Bytes())
}

func TestBenchGolden(t *testing.T) {
	r := made(1, "Cortex-A72")
	r.Results = r.Results[:5]
	var b bytes.Buffer
	if err := WriteBench(&b, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench.golden", b.Bytes())
}

func TestCompareNeedsSomethingInCommon(t *testing.T) {
	a, b := made(1, "a"), made(1, "b")
	b.Results = b.Results[:0]
	if err := Compare(io.Discard, []Machine{{"a", a}, {"b", b}}); err == nil || !strings.Contains(err.Error(), "in common") {
		t.Errorf("got %v", err)
	}
	if err := Compare(io.Discard, []Machine{{"a", a}}); err == nil {
		t.Error("compared one")
	}
}

func TestFigures(t *testing.T) {
	dir := t.TempDir()
	paths, err := DrawFigures(dir, []Machine{{"host", made(1, "Xeon")}, {"bf2", made(2, "Cortex-A72")}})
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 2*len(MainCases()) {
		t.Errorf("wrote %q", paths)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".png" {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if err := wellFormed(data); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, want := range []string{"city64@module", ">bf2<", ">host<", "bf2: Cortex-A72", "95 % confidence"} {
			if !bytes.Contains(data, []byte(want)) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
	long, err := os.ReadFile(filepath.Join(dir, "hash-256KiB-throughput.svg"))
	if err != nil || !bytes.Contains(long, []byte("bandwidth, GB/s")) {
		t.Errorf("the figure of long input is not one of bandwidth (%v)", err)
	}
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func TestFiguresNeedTheirCases(t *testing.T) {
	r := made(1, "Xeon")
	r.Results = r.Results[:1]
	r.Results[0].MinBytes, r.Results[0].MaxBytes = 5, 5
	if _, err := DrawFigures(t.TempDir(), []Machine{{"host", r}}); err == nil || !strings.Contains(err.Error(), "256 KiB throughput") {
		t.Errorf("got %v", err)
	}
}

func TestParse(t *testing.T) {
	data, err := json.Marshal(made(1, "Xeon"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Parse(data); err != nil || len(r.Results) != 15 || r.Results[4].GBps() != 262144.0/12000 {
		t.Errorf("%+v, %v", r, err)
	}
	for want, spoil := range map[string]func(*Report){
		`kind is "point"`:         func(r *Report) { r.Kind = "point" },
		"schema is 2":             func(r *Report) { r.Schema = 2 },
		`provenance is "model"`:   func(r *Report) { r.Provenance = "model" },
		"no results":              func(r *Report) { r.Results = nil },
		"is not in its interval":  func(r *Report) { r.Results[0].Ns.Low = 7 },
		"mode is":                 func(r *Report) { r.Results[0].Mode = "" },
		"allowed: 1 B to 1 MiB":   func(r *Report) { r.Results[0].MinBytes = -1 },
		"alignment is 9, allowed": func(r *Report) { r.Results[0].Align = 9 },
	} {
		r := made(1, "Xeon")
		spoil(r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := Parse([]byte("{")); err == nil {
		t.Error("parsed half of an object")
	}
}

func TestParseLengths(t *testing.T) {
	for text, want := range map[string][2]int{
		"16": {16, 16}, "1": {1, 1}, "256KiB": {256 << 10, 256 << 10}, "1MiB": {1 << 20, 1 << 20}, "1-32": {1, 32}, " 8 - 1KiB": {8, 1024},
	} {
		lo, hi, err := ParseLengths(text)
		if err != nil || lo != want[0] || hi != want[1] {
			t.Errorf("%q: %d to %d, %v", text, lo, hi, err)
		}
	}
	for _, bad := range []string{"", "0", "-1", "2MiB", "1048577", "32-1", "8-8", "x", "1-", "16KB", "99999999999999999999", "1048576MiB"} {
		if _, _, err := ParseLengths(bad); err == nil || !strings.Contains(err.Error(), "allowed: 1 to 1MiB") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseLengths(f *testing.F) {
	f.Add("1-32")
	f.Add("256KiB")
	f.Fuzz(func(t *testing.T, text string) {
		lo, hi, err := ParseLengths(text)
		if err != nil {
			return
		}
		c := Case{Mode: Latency, MinBytes: lo, MaxBytes: hi}
		if err := c.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	data, _ := json.Marshal(made(1, "Xeon"))
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		if err := WriteTable(io.Discard, r); err != nil {
			t.Error(err)
		}
	})
}

// An axis has between four and nine marks, whatever is shown.
func TestAxis(t *testing.T) {
	for most := 0.01; most < 1e6; most *= 1.7 {
		f := &figure{}
		if n := most / f.step(most); n > 8.0001 || n < 3 {
			t.Errorf("%v steps to %v", n, most)
		}
	}
}

// Of many cases the table shows the main ones and says how many there are more.
func TestManyCases(t *testing.T) {
	r := made(1, "Xeon")
	for align := 1; align <= MaxAlign; align++ {
		x := r.Results[0]
		x.Align = align
		r.Results = append(r.Results, x)
	}
	var b bytes.Buffer
	if err := WriteTable(&b, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "7 more cases in the JSON") || strings.Contains(b.String(), "alignment") {
		t.Errorf("got\n%s", b.String())
	}
}
