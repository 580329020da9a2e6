package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"dpukv/hashbench/clock"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
	"dpukv/internal/machine"
	"dpukv/internal/numfmt"
)

// Run measures and returns a report. It takes a thread of its own, pins it, and turns the garbage
// collector off meanwhile. It fails if the configuration can't be measured, ctx ends, or a
// contender fails.
func Run(ctx context.Context, cfg Config) (*result.Report, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	type outcome struct {
		report *result.Report
		err    error
	}
	done := make(chan outcome)
	go func() { // its thread ends with it, so that no goroutine inherits the pinning
		if err := cpu.PinThread(cfg.CPU); err != nil {
			done <- outcome{nil, err}
			return
		}
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		r, err := run(ctx, &cfg)
		done <- outcome{r, err}
	}()
	o := <-done
	return o.report, o.err
}

func run(ctx context.Context, cfg *Config) (*result.Report, error) {
	r := &result.Report{
		Kind: result.Kind, Schema: result.Schema, Provenance: result.Measured,
		StartedAt: time.Now().UTC(), Machine: machine.Read(), Seed: cfg.Seed, Rounds: cfg.Rounds,
		Warnings: []string{},
	}
	p := newPlan(cfg)
	round, err := cfg.roundNs()
	if err != nil {
		return nil, err
	}
	r.RoundNs = int64(round)
	rate := newRate()
	defer rate.close()
	if !rate.warmUp(ctx) {
		r.Warnings = append(r.Warnings, "the core's clock did not settle before the first pass")
	}
	for _, s := range p.series {
		if err := s.calibrate(round); err != nil {
			return nil, fmt.Errorf("%s: %w", s.describe(), err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	before := cpu.Preemptions()
	if err := passes(ctx, cfg, p, rate); err != nil {
		return nil, err
	}
	r.Preemptions = cpu.Preemptions() - before
	for _, s := range p.series {
		r.RoundsCPUNs, r.RoundsWallNs = r.RoundsCPUNs+s.spent.cpuNs, r.RoundsWallNs+s.spent.wallNs
	}
	r.Results, r.Overheads = p.results(), p.overheads()
	r.Clock = rate.clock(cfg.CPU)
	r.DurationNs = int64(time.Since(r.StartedAt))
	r.Warnings = append(r.Warnings, warnings(r)...)
	return r, nil
}

func passes(ctx context.Context, cfg *Config, p *plan, rate *rate) error {
	rng := rand.New(rand.NewPCG(cfg.Seed, 2))
	order := slices.Clone(p.series)
	for pass := range cfg.Rounds {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, s := range order {
			if err := s.measure(); err != nil {
				return fmt.Errorf("%s: %w", s.describe(), err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		rate.sample()
		if cfg.OnProgress != nil {
			cfg.OnProgress(pass+1, cfg.Rounds)
		}
	}
	return nil
}

const (
	maxRateSpread   = 0.05
	maxOverheadLeft = 0.3 // ns
	maxIntervalPart = 0.05
	maxWaited       = 0.10 // of the rounds' CPU time
)

// warnings are the facts that limit the trust in the figures.
func warnings(r *result.Report) []string {
	var said []string
	if how := machine.EmulatorWarning("dpukv hash", r.Machine.Emulator); how != "" {
		said = append(said, how)
	}
	if c := r.Clock; c.CoreHz > 0 && (c.CoreMaxHz-c.CoreMinHz)/c.CoreHz > maxRateSpread {
		said = append(said, fmt.Sprintf("the core's clock varied from %.2f to %.2f GHz",
			c.CoreMinHz/1e9, c.CoreMaxHz/1e9))
	}
	if waited := r.RoundsWallNs - r.RoundsCPUNs; float64(waited) >
		maxWaited*float64(r.RoundsCPUNs) {
		said = append(said, fmt.Sprintf("disturbed: %s of CPU time took %s (limit: %.0f %% more), "+
			"and others had the CPU %d times. The figures leave out the wait, and not the caches "+
			"that it left cold: end the others, or choose another CPU (--cpu)",
			numfmt.Nanoseconds(float64(r.RoundsCPUNs)),
			numfmt.Nanoseconds(float64(r.RoundsWallNs)), 100*maxWaited, r.Preemptions))
	}
	for _, o := range r.Overheads {
		if o.LeftNs > maxOverheadLeft || o.LeftNs < -maxOverheadLeft {
			said = append(said, fmt.Sprintf("%.2f ns of the cost of the %s loop (%s lengths) "+
				"remain in its figures",
				o.LeftNs, o.Mode, o.Lengths))
		}
	}
	wide := 0
	for _, x := range r.Results {
		if x.Ns.High-x.Ns.Low > maxIntervalPart*2*x.Ns.Median {
			wide++
		}
	}
	if wide > 0 {
		said = append(said, fmt.Sprintf("%d of %d figures have an interval wider than ±5 %%: "+
			"check for other load (load average %v)",
			wide, len(r.Results), r.Machine.LoadAverage))
	}
	if counter := clock.CounterName(); counter == "" {
		said = append(said, "this architecture has no cycle counter that dpukv reads, so cycles "+
			"are unknown")
	}
	return said
}
