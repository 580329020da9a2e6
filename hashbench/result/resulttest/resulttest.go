package resulttest

import (
	"time"

	"dpukv/hashbench/result"
	"dpukv/internal/machine"
)

// Report is a report with made-up figures, times a factor.
func Report(factor float64, cpu string) *result.Report {
	r := &result.Report{
		Kind: result.Kind, Schema: result.Schema, Version: "v1.2.3", Provenance: result.Measured,
		Rounds: 25, RoundNs: 4_000_000, Seed: 1,
		StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), DurationNs: 20e9,
		Machine: machine.Facts{
			CPUModel: cpu, Arch: "aarch64", GoVersion: "go1.26", GoArchLevel: "GOARM64=v8.0",
		},
		Clock: result.Clock{
			CPU: 7, CoreHz: 2.5e9, CoreMinHz: 2.5e9, CoreMaxHz: 2.5e9, CoreSource: result.FromChain,
			Counter: "CNTVCT_EL0", CounterHz: 200e6, CounterSource: "CNTFRQ_EL0",
		},
		Overheads: []result.Overhead{
			{
				Mode: "latency", Lengths: "fixed", Words: 1, Ns: interval(1.7, 1.69, 1.72),
				LeftNs: 0.012,
			},
			{Mode: "throughput", Lengths: "fixed", Words: 1, Ns: interval(1.9, 1.88, 1.93)},
		},
		Warnings: []string{},
	}
	for i, name := range []string{"city64", "city64@module", "fnv1a-64"} {
		variant := []string{"tuned", "module", "purego"}[i]
		for j, c := range result.MainCases() {
			ns := factor * float64(i+1) * []float64{6.25, 2.5, 8, 8.5, 12_000}[j]
			overhead := 0.0
			if c.Mode == result.Latency {
				overhead = 1.7
			}
			r.Results = append(r.Results, result.Result{
				Subject: result.Subject{
					Function: name, Family: "F", Bits: 64, Module: "m v1.0.0", Variant: variant,
				},
				Case: c, Ns: interval(ns, ns*0.99, ns*1.02),
				RawNs:      interval(ns+overhead, ns*0.99+overhead, ns*1.02+overhead),
				OverheadNs: overhead, Calls: 1000,
				RoundsNs: []float64{ns + overhead - 0.1, ns + overhead, ns + overhead + 0.1},
			})
		}
	}
	return r
}

func interval(median, low, high float64) result.Interval {
	return result.Interval{Median: median, Low: low, High: high}
}
