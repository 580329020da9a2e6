package measure

import (
	"context"
	"testing"
	"time"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/internal/test/must"
)

func TestRefusals(t *testing.T) {
	good := func() Config {
		return Config{
			Contenders: []Contender{function("nothing", address)},
			Cases:      []result.Case{result.Fixed(result.Latency, 16)}, Rounds: 10, Duration: time.Second,
			CPU: lastCPU(t),
		}
	}
	for want, spoil := range map[string]func(*Config){
		"functions: found none": func(c *Config) { c.Contenders = nil },
		"cases: found none":     func(c *Config) { c.Cases = nil },
		"rounds: found 2":       func(c *Config) { c.Rounds = 2 },
		"cpu: found 900":        func(c *Config) { c.CPU = 900 },
		"1 B to 1 MiB":          func(c *Config) { c.Cases[0].MaxBytes = 1<<20 + 1 },
		"alignment: found 8":    func(c *Config) { c.Cases[0].Align = 8 },
		`mode: found "both"`:    func(c *Config) { c.Cases[0].Mode = "both" },
		"duration: found 1ms; ": func(c *Config) { c.Duration = time.Millisecond },
	} {
		cfg := good()
		spoil(&cfg)
		_, err := Run(context.Background(), cfg)
		must.Fail(t, err, want)
	}
}

// The announced number of series is the actual one.
func TestSeries(t *testing.T) {
	cfg := Config{
		Contenders: OfAll(hashbench.All()),
		Cases:      append(result.MainCases(), result.Case{Mode: result.Latency, MinBytes: 8, MaxBytes: 8}),
	}
	if got, want := cfg.series(), len(newPlan(&cfg).series); got != want {
		t.Errorf("%d series announced, %d planned", got, want)
	}
}
