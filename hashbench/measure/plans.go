package measure

import (
	"time"

	"dpukv/hashbench/report"
)

// What a quick and a full run take, about.
const (
	QuickDuration = 20 * time.Second
	FullDuration  = 5 * time.Minute
)

// FullCases are lengths of 1 B to 1 MiB, random lengths, and all alignments of a short and of a long input. The
// latency of long input is left out: it is its throughput.
func FullCases() []report.Case {
	list := report.MainCases()
	list = append(list,
		report.Case{Mode: report.Latency, MinBytes: 1, MaxBytes: 256},
		report.Case{Mode: report.Throughput, MinBytes: 1, MaxBytes: 256})
	for _, bytes := range []int{1, 2, 4, 8, 12, 20, 24, 32, 48, 64, 128, 256, 1 << 10} {
		list = append(list, report.Fixed(report.Latency, bytes), report.Fixed(report.Throughput, bytes))
	}
	for _, bytes := range []int{4 << 10, 16 << 10, 64 << 10, 1 << 20} {
		list = append(list, report.Fixed(report.Throughput, bytes))
	}
	for align := 1; align <= report.MaxAlign; align++ {
		short, long := report.Fixed(report.Latency, 16), report.Fixed(report.Throughput, 256<<10)
		short.Align, long.Align = align, align
		list = append(list, short, long)
	}
	return list
}
