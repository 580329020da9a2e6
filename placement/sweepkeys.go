package placement

import (
	"fmt"
	"time"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/kvs"
	"dpukv/placement/submode"

	"github.com/goccy/go-yaml/ast"
)

// sweepKey is one key of a sweep file. Everything that is done key by key (reading, writing,
// comparing, filtering, combining) goes through this table, so a new key is one new line.
type sweepKey struct {
	name string
	// read takes the key's value from a file.
	read func(*strictFile, *Sweep, ast.Node)
	// texts are the key's values in a sweep.
	texts func(*Sweep) []string
	// canonical is the text that a value would have in texts.
	canonical func(text string) (string, error)

	// Of an axis only, nil for a key that has one value:

	// of is the text of a configuration's value.
	of func(*Config) string
	// multiply combines configurations with each of the axis's values.
	multiply func(*Sweep, []Config) []Config
}

func (k *sweepKey) swept() bool { return k.of != nil }

const (
	maxThreads = client.MaxThreads
	maxKeys    = 1 << 32
	maxSpan    = 24 * time.Hour
)

var sweepKeys = []sweepKey{
	axis("stores", word([]string{"mica", "herd", "memcached", "redis"}),
		func(s *Sweep) *[]string { return &s.Stores }, func(c *Config) *string { return &c.Store }),
	axis("placements", placementName, // which there are is the testbed's to say
		func(s *Sweep) *[]string { return &s.Placements }, func(c *Config) *string { return &c.Placement }),
	axis("submodes", word(submode.Names()),
		func(s *Sweep) *[]string { return &s.Submodes }, func(c *Config) *string { return &c.Submode }),
	axis("filters", filters,
		func(s *Sweep) *[]string { return &s.Filters }, func(c *Config) *string { return &c.Filter }),
	axis("get_ratios", decimal(0, 1, "a share from 0 to 1, such as 0.95"),
		func(s *Sweep) *[]float64 { return &s.GetRatios }, func(c *Config) *float64 { return &c.GetRatio }),
	axis("dist", dists,
		func(s *Sweep) *[]string { return &s.Dist }, func(c *Config) *string { return &c.Dist }),
	axis("keys", whole(1, maxKeys),
		func(s *Sweep) *[]int { return &s.Keys }, func(c *Config) *int { return &c.Keys }),
	axis("key_bytes", whole(1, kvs.MaxKeyBytes),
		func(s *Sweep) *[]int { return &s.KeyBytes }, func(c *Config) *int { return &c.KeyBytes }),
	axis("value_bytes", whole(0, kvs.MaxValueBytes),
		func(s *Sweep) *[]int { return &s.ValueBytes }, func(c *Config) *int { return &c.ValueBytes }),
	axis("batch", whole(1, 1<<16),
		func(s *Sweep) *[]int { return &s.Batch }, func(c *Config) *int { return &c.Batch }),
	axis("window", whole(1, 1<<16),
		func(s *Sweep) *[]int { return &s.Window }, func(c *Config) *int { return &c.Window }),
	axis("connections", whole(1, 1<<10),
		func(s *Sweep) *[]int { return &s.Connections }, func(c *Config) *int { return &c.Connections }),
	axis("server_threads", whole(1, maxThreads),
		func(s *Sweep) *[]int { return &s.ServerThreads }, func(c *Config) *int { return &c.ServerThreads }),
	axis("client_threads", whole(1, maxThreads),
		func(s *Sweep) *[]int { return &s.ClientThreads }, func(c *Config) *int { return &c.ClientThreads }),
	axis("rates", decimal(0, client.MaxRateOps, fmt.Sprintf("operations a second up to %g, 0 for a closed loop", client.MaxRateOps)),
		func(s *Sweep) *[]float64 { return &s.Rates }, func(c *Config) *float64 { return &c.RateOps }),
	axis("hash", word(append(hashbench.Names(), kvs.NoHash)),
		func(s *Sweep) *[]string { return &s.Hash }, func(c *Config) *string { return &c.Hash }),
	axis("mode", word([]string{"cache", "store"}),
		func(s *Sweep) *[]string { return &s.Mode }, func(c *Config) *string { return &c.Mode }),
	axis("access", word([]string{"erew", "crew", "crcw"}),
		func(s *Sweep) *[]string { return &s.Access }, func(c *Config) *string { return &c.Access }),
	axis("protocol", protocols,
		func(s *Sweep) *[]string { return &s.Protocol }, func(c *Config) *string { return &c.Protocol }),
	single("duration", span(10*time.Millisecond, maxSpan), func(s *Sweep) *time.Duration { return &s.Duration }),
	single("warmup", span(0, maxSpan), func(s *Sweep) *time.Duration { return &s.Warmup }),
	single("repeats", whole(1, 1000), func(s *Sweep) *int { return &s.Repeats }),
	single("seed", seeds, func(s *Sweep) *uint64 { return &s.Seed }),
	single("attach", attachment, func(s *Sweep) *string { return &s.Attach }),
}

// axis makes the entry of a key whose values are combined with those of the others.
func axis[T any](name string, c codec[T], in func(*Sweep) *[]T, of func(*Config) *T) sweepKey {
	return sweepKey{
		name: name,
		read: func(f *strictFile, s *Sweep, n ast.Node) { readAxis(f, s, name, n, in(s), c) },
		texts: func(s *Sweep) []string {
			if s.left[name] {
				return s.studied(func(config *Config) string { return c.format(*of(config)) })
			}
			return texts(*in(s), c)
		},
		canonical: c.canonical,
		of:        func(config *Config) string { return c.format(*of(config)) },
		multiply: func(s *Sweep, configs []Config) []Config {
			product := make([]Config, 0, len(configs)*len(*in(s)))
			for _, config := range configs {
				for _, value := range *in(s) {
					*of(&config) = value
					product = append(product, config)
				}
			}
			return product
		},
	}
}

// single makes the entry of a key that has one value for the whole sweep.
func single[T any](name string, c codec[T], in func(*Sweep) *T) sweepKey {
	return sweepKey{
		name: name,
		read: func(f *strictFile, s *Sweep, n ast.Node) {
			if v, _, ok := readValue(f, name, n, c); ok {
				*in(s) = v
			}
		},
		texts:     func(s *Sweep) []string { return []string{c.format(*in(s))} },
		canonical: c.canonical,
	}
}

func (c codec[T]) canonical(text string) (string, error) {
	v, err := c.parse(text)
	if err != nil {
		return "", err
	}
	return c.format(v), nil
}

func texts[T any](values []T, c codec[T]) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = c.format(v)
	}
	return all
}

func keyNames(want func(*sweepKey) bool) []string {
	var names []string
	for i := range sweepKeys {
		if want(&sweepKeys[i]) {
			names = append(names, sweepKeys[i].name)
		}
	}
	return names
}
