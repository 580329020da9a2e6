package measure

import (
	"time"

	"dpukv/hashbench/result"
)

// The approximate durations of a quick and a full run.
const (
	QuickDuration = 20 * time.Second
	FullDuration  = 5 * time.Minute
)

// FullCases are lengths of 1 B to 1 MiB, random lengths, and all alignments of a short and of a
// long input. The latency of long input is left out: it equals its throughput.
func FullCases() []result.Case {
	list := result.MainCases()
	list = append(list,
		result.Case{Mode: result.Latency, MinBytes: 1, MaxBytes: 256},
		result.Case{Mode: result.Throughput, MinBytes: 1, MaxBytes: 256})
	for _, bytes := range []int{1, 2, 4, 8, 12, 20, 24, 32, 48, 64, 128, 256, 1 << 10} {
		list = append(list, result.Fixed(result.Latency, bytes),
			result.Fixed(result.Throughput, bytes))
	}
	for _, bytes := range []int{4 << 10, 16 << 10, 64 << 10, 1 << 20} {
		list = append(list, result.Fixed(result.Throughput, bytes))
	}
	for align := 1; align <= result.MaxAlign; align++ {
		short, long := result.Fixed(result.Latency, 16), result.Fixed(result.Throughput, 256<<10)
		short.Align, long.Align = align, align
		list = append(list, short, long)
	}
	return list
}
