package main

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/performance"
)

const (
	quiet     = "\t0.01 others-cpus\t0.00 stolen-cpus\n"
	disturbed = "\t0.01 others-cpus\t0.20 stolen-cpus\n"
	fast      = "\t0.01 others-cpus\t0.00 stolen-cpus\t0.100 fixed-L1-ns\t210 fixed-memory-ns\n"
	slow      = "\t0.01 others-cpus\t0.00 stolen-cpus\t0.175 fixed-L1-ns\t212 fixed-memory-ns\n"
	ratio     = "bench.Limit/load=get x-floor"
)

// run has a repeat for each ratio.
func run(t *testing.T, end string, ratios ...string) *performance.File {
	return must.Get(performance.Parse("pkg: dpukv/bench\n" + repeats(end, ratios...)))(t)
}

func repeats(end string, ratios ...string) (text string) {
	for _, r := range ratios {
		text += "BenchmarkLimit/load=get-2 100 57.5 Mops " + r + " x-floor" + end
	}
	return text
}

func TestReport(t *testing.T) {
	now := run(t, quiet, "1.16", "1.26", "1.21", "1.22")
	many := make([]float64, 100) // that many decide beside one repeat, too
	for i := range many {
		many[i] = 1
	}
	other := "BenchmarkOther 1 1 x-other" + fast // fixed work is compared with that of the whole run
	for name, test := range map[string]struct {
		accepted  []float64
		processor string
		now       *performance.File
		wants     []string
	}{
		"same":    {[]float64{1.17, 1.23, 1.22, 1.2, 1.21}, "this", now, []string{"0 of 1 ratios"}},
		"worse":   {[]float64{1, 1.01, 1.02, 1.05, 1.1}, "this", now, []string{"worse\n", "1 of 1 ratios"}},
		"better":  {[]float64{1.4, 1.4, 1.4, 1.4, 1.4}, "this", now, []string{"better\n", "1 of 1 ratios"}},
		"a hair":  {[]float64{1.15, 1.15, 1.15, 1.15, 1.15}, "this", run(t, quiet, "1.16", "1.16", "1.17", "1.17"), []string{"0 of 1 ratios"}},
		"overlap": {[]float64{1, 1.3, 1, 1.3, 1}, "this", now, []string{"0 of 1 ratios"}},
		"few":     {[]float64{1, 1, 1, 1}, "this", now, []string{"too few quiet repeats", "0 of 0 ratios"}},
		"disturbed": {
			[]float64{1, 1, 1, 1, 1},
			"this", run(t, disturbed, "2", "2", "2", "2"),
			[]string{
				"no quiet repeat (4 repeats set apart)", "0 of 0 ratios", "of 1, too few",
				"Set apart: 4 of 4 repeats: 4 as others or the hypervisor had over 0.1 CPUs; fixed work " +
					"was not measured.",
			},
		},
		"all slow": {many, "this", run(t, slow+other, "2"), []string{
			"no quiet repeat (1 repeats set apart)", "0 of 0 ratios",
		}},
		"one left": {many, "this", run(t, fast+repeats(slow, "2", "2", "2"), "2"), []string{
			"too few quiet repeats (3 repeats set apart)", "0 of 0 ratios",
			"Set apart: 3 of 4 repeats: 0 as others or the hypervisor had over 0.1 CPUs, 3 as fixed " +
				"work took over 1.15 times the lower quartile: 0.1 fixed-L1-ns 210 fixed-memory-ns.",
		}},
		"two left": {many, "this", run(t, fast+repeats(slow, "1"), "2", "2"), []string{
			"worse (2 repeats set apart)", "1 of 1 ratios",
		}},
		"another processor": {
			[]float64{1, 1, 1, 1, 1},
			"AMD family 25 model 17", now,
			[]string{"No accepted ratios for this processor, AMD family 25 model 17: found files for this.", "not accepted yet"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := []*performance.Processor{{Name: "this", Values: performance.Values{ratio: test.accepted}}}
			var out strings.Builder
			must.Do(t, report(&out, test.processor, all, test.now))
			for _, want := range test.wants {
				if !strings.Contains(out.String(), want) {
					t.Errorf("want %q in\n%s", want, out.String())
				}
			}
		})
	}
}
