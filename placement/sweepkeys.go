package placement

import (
	"time"

	"dpukv/hashbench"
	"dpukv/kvs"

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

var (
	placements = []string{"CH-SH", "CD-SH", "CDH-SH", "CH-SD", "CD-SD", "L-CD-SH"}
	submodes   = []string{"off-path", "sm1", "sm2", "sm3", "sm4", "sm5"}
)

const (
	maxThreads = 1024
	maxKeys    = 1 << 32
	maxSpan    = 24 * time.Hour
)

var sweepKeys []sweepKey

// init, because reading a key looks the other keys up.
func init() {
	sweepKeys = []sweepKey{
		axis("stores", func(s *Sweep) *[]string { return &s.Stores }, func(c *Config) *string { return &c.Store }, word([]string{"mica"}, "herd")),
		axis("placements", func(s *Sweep) *[]string { return &s.Placements }, func(c *Config) *string { return &c.Placement }, word(placements)),
		axis("submodes", func(s *Sweep) *[]string { return &s.Submodes }, func(c *Config) *string { return &c.Submode }, word(submodes)),
		axis("get_ratios", func(s *Sweep) *[]float64 { return &s.GetRatios }, func(c *Config) *float64 { return &c.GetRatio }, real(0, 1, "a share from 0 to 1, such as 0.95")),
		axis("dist", func(s *Sweep) *[]string { return &s.Dist }, func(c *Config) *string { return &c.Dist }, dists),
		axis("keys", func(s *Sweep) *[]int { return &s.Keys }, func(c *Config) *int { return &c.Keys }, whole(1, maxKeys)),
		axis("key_bytes", func(s *Sweep) *[]int { return &s.KeyBytes }, func(c *Config) *int { return &c.KeyBytes }, whole(1, kvs.MaxKeyBytes)),
		axis("value_bytes", func(s *Sweep) *[]int { return &s.ValueBytes }, func(c *Config) *int { return &c.ValueBytes }, whole(1, kvs.MaxValueBytes)),
		axis("batch", func(s *Sweep) *[]int { return &s.Batch }, func(c *Config) *int { return &c.Batch }, whole(1, 1<<16)),
		axis("window", func(s *Sweep) *[]int { return &s.Window }, func(c *Config) *int { return &c.Window }, whole(1, 1<<16)),
		axis("connections", func(s *Sweep) *[]int { return &s.Connections }, func(c *Config) *int { return &c.Connections }, whole(1, 1<<10)),
		axis("server_threads", func(s *Sweep) *[]int { return &s.ServerThreads }, func(c *Config) *int { return &c.ServerThreads }, whole(1, maxThreads)),
		axis("client_threads", func(s *Sweep) *[]int { return &s.ClientThreads }, func(c *Config) *int { return &c.ClientThreads }, whole(1, maxThreads)),
		axis("rates", func(s *Sweep) *[]float64 { return &s.Rates }, func(c *Config) *float64 { return &c.RateOps }, real(0, 1e12, "operations a second, 0 for a closed loop")),
		axis("hash", func(s *Sweep) *[]string { return &s.Hash }, func(c *Config) *string { return &c.Hash }, word(hashbench.Names())),
		axis("mode", func(s *Sweep) *[]string { return &s.Mode }, func(c *Config) *string { return &c.Mode }, word([]string{"cache", "store"})),
		axis("access", func(s *Sweep) *[]string { return &s.Access }, func(c *Config) *string { return &c.Access }, word([]string{"erew", "crew"})),
		single("duration", func(s *Sweep) *time.Duration { return &s.Duration }, span(10*time.Millisecond, maxSpan)),
		single("warmup", func(s *Sweep) *time.Duration { return &s.Warmup }, span(0, maxSpan)),
		single("repeats", func(s *Sweep) *int { return &s.Repeats }, whole(1, 1000)),
		single("seed", func(s *Sweep) *uint64 { return &s.Seed }, seeds),
	}
}

// axis makes the entry of a key whose values are combined with those of the others.
func axis[T any](name string, in func(*Sweep) *[]T, of func(*Config) *T, c codec[T]) sweepKey {
	return sweepKey{
		name:      name,
		read:      func(f *strictFile, s *Sweep, n ast.Node) { readAxis(f, s, name, n, in(s), c) },
		texts:     func(s *Sweep) []string { return texts(*in(s), c) },
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
func single[T any](name string, in func(*Sweep) *T, c codec[T]) sweepKey {
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
