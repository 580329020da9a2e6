package smhasher

import (
	"context"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
)

// Lengths are the lengths that the study took from SMHasher.
func Lengths() []int { return []int{16, 256 << 10} }

// Run measures functions at [Lengths] on a thread of its own, pinned to the CPU of a report; coreHz
// is that report's.
func Run(
	ctx context.Context, list []hashbench.Func, pinned int, coreHz float64, quick bool,
) (all []result.SMHasher, err error) {
	done := make(chan struct{})
	go func() { // its thread ends with it
		defer close(done)
		if err = cpu.PinThread(pinned); err != nil {
			return
		}
		all, err = measureAll(ctx, list, coreHz, quick)
	}()
	<-done
	return all, err
}

func measureAll(
	ctx context.Context, list []hashbench.Func, coreHz float64, quick bool,
) ([]result.SMHasher, error) {
	var all []result.SMHasher
	for _, bytes := range Lengths() {
		for _, f := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s, err := Measure(f, bytes, coreHz, quick)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}
