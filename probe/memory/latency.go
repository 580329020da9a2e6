package memory

import (
	"context"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/sample"
)

// sliceNs is the length of a slice, of which the median is taken.
const sliceNs = int64(time.Millisecond)

// timed makes steps until a time is over, and returns the median nanoseconds of one.
func timed(
	ctx context.Context, steps func(n int), warmup, duration time.Duration, began func(),
) float64 {
	n := stepsPerSlice(steps)
	for end := cpu.NowNs() + warmup.Nanoseconds(); cpu.NowNs() < end && ctx.Err() == nil; {
		steps(n)
	}
	if began != nil {
		began()
	}
	var slicesNs []float64
	end := cpu.NowNs() + duration.Nanoseconds()
	for from := cpu.NowNs(); from < end && ctx.Err() == nil || slicesNs == nil; {
		steps(n)
		to := cpu.NowNs()
		slicesNs = append(slicesNs, float64(to-from)/float64(n))
		from = to
	}
	return sample.Median(slicesNs)
}

// stepsPerSlice finds the number of steps that take about a slice. It is a whole number of batches
// and of turns. The faster of two tries counts: one may have been interrupted.
func stepsPerSlice(steps func(n int)) int {
	const most = 1 << 30
	try := func(n int) int64 {
		from := cpu.NowNs()
		steps(n)
		return cpu.NowNs() - from
	}
	n := maxBatch
	for n < most && min(try(n), try(n)) < sliceNs/2 {
		n *= 2
	}
	return n
}
