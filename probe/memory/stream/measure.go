package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dpukv/internal/offheap"
	"dpukv/internal/sample"
)

// Config is a measurement.
type Config struct {
	Kernel     Kernel
	Code       Code
	ArrayBytes int   // of each of the three arrays, all threads together; 0: [AutoBytes]
	CPUs       []int // a thread on each
	Pages      offheap.Pages
	Warmup     time.Duration
	Duration   time.Duration // at least [minPasses] passes are made
	Began      func()        // called once the warm-up is over; nil: nobody asks
}

// minPasses is the number of passes that STREAM makes by default.
const minPasses = 10

// Result is what was measured.
type Result struct {
	Best, Median float64 // bytes a second
	Passes       int
	ArrayBytes   int   // what was used
	CacheBytes   int64 // of the last-level caches of the CPUs; 0: unknown
	ISA          string
	Pages        string // kinds and sizes
	Warnings     []string
}

// Measure makes passes until the duration is over. It checks each element of the arrays afterwards.
func Measure(ctx context.Context, c Config) (*Result, error) {
	l, err := loopsOf(c.Code)
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return nil, err
	}
	g := gang{
		config: &c, loops: l, n: c.ArrayBytes / 8 / len(c.CPUs), parts: make([]part, len(c.CPUs)),
	}
	errs := make([]error, len(c.CPUs))
	g.ready.Add(len(c.CPUs))
	var all sync.WaitGroup
	for i := range c.CPUs {
		all.Go(func() { errs[i] = g.work(ctx, i) })
	}
	all.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return g.result(), nil
}

// complete chooses the arrays, and refuses those that have no element for each thread.
func (c *Config) complete() error {
	if len(c.CPUs) == 0 {
		return errors.New("CPUs of STREAM: found none, allowed: one or more")
	}
	if !slices.Contains(Kernels(), string(c.Kernel)) {
		return fmt.Errorf("kernel: found %q, allowed: %q", c.Kernel, Kernels())
	}
	if c.ArrayBytes == 0 {
		c.ArrayBytes = int(AutoBytes(c.CPUs))
	}
	if least := 8 * len(c.CPUs); c.ArrayBytes < least {
		return fmt.Errorf("array_bytes: found %d, allowed: at least %d, 8 for each thread",
			c.ArrayBytes, least)
	}
	return nil
}

// result sums the passes up.
func (g *gang) result() *Result {
	c := g.config
	res := &Result{
		Passes: len(g.took), ArrayBytes: g.n * len(g.parts) * 8, CacheBytes: CacheBytes(c.CPUs),
		ISA: g.loops.name,
	}
	bytes := float64(g.n*len(g.parts)) * float64(c.Kernel.elementBytes())
	res.Best = bytes / slices.Min(g.took).Seconds()
	res.Median = bytes / sample.Median(g.took).Seconds()
	pages := make([]string, len(g.parts))
	for i := range g.parts {
		pages[i] = g.parts[i].pages
	}
	slices.Sort(pages)
	res.Pages = strings.Join(slices.Compact(pages), ", ")
	res.Warnings = g.warnings(res)
	return res
}

// warnings tell why the figures may not be those of the memory.
func (g *gang) warnings(res *Result) (list []string) {
	switch {
	case res.CacheBytes == 0:
		list = append(list, fmt.Sprintf("the kernel tells no size of a cache: an array of %d "+
			"bytes may lie in one", res.ArrayBytes))
	case int64(g.config.ArrayBytes) < cachesInArray*res.CacheBytes:
		list = append(list, fmt.Sprintf("an array has %d bytes, which is less than %d times the "+
			"last-level caches (%d bytes): they answer a part of the traffic", res.ArrayBytes,
			cachesInArray, res.CacheBytes))
	}
	if g.loops.warning != "" {
		list = append(list, g.loops.warning)
	}
	return list
}
