package stream

import (
	"errors"

	"dpukv/internal/cpu"
	"dpukv/internal/program"
)

// seats returns the CPU of each process. There may be fewer CPUs than processes.
func seats(cpus []int, count int) ([]int, error) {
	if len(cpus) == 0 {
		allowed, err := cpu.Allowed()
		if err != nil {
			return nil, err
		}
		cpus = allowed
	}
	if err := cpu.MayUse(cpus); err != nil {
		return nil, err
	}
	list := make([]int, count)
	for i := range list {
		list[i] = cpus[i%len(cpus)]
	}
	return list, nil
}

// cpuNs is the CPU time of processes so far.
func cpuNs(of []*program.Process) (sum int64) {
	for _, p := range of {
		sum += p.CPUNs()
	}
	return sum
}

// stopAll ends processes, all at once.
func stopAll(list []*program.Process) error {
	ended := make(chan error)
	for _, p := range list {
		go func() { ended <- p.Stop() }()
	}
	var errs []error
	for range list {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}
