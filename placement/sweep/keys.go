package sweep

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"dpukv/client"
	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
)

// sweepKey is one key of a sweep file. Everything that works key by key (reading, writing,
// comparing, filtering, combining) goes through this table. So a new key is one new line.
type sweepKey struct {
	name    string
	help    string // the meaning, in one sentence
	example string // a value or values, as a file has them
	allowed string
	// dependent is the default in words, where it depends on other keys; "": it does not.
	dependent string
	// read takes the key's value from a file.
	read func(*strictyaml.File, *Sweep, ast.Node)
	// texts returns the key's values in a sweep.
	texts func(*Sweep) []string
	// canonical returns the text of a value as it stands in texts.
	canonical func(text string) (string, error)

	// idName and identity are the key's name and value in the input of IDs. A nil value is left
	// out, and so is a key without identity.
	idName   string
	identity func(*Config) any

	// owner names who has the field, where not all have it, and clear clears it: see [Config.has].
	owner string
	clear func(*Config)

	// For axes only; nil for a key with a single value:

	// of returns the text of a configuration's value.
	of func(*Config) string
	// fill gives a sweep without values the one that means none; nil: [Default] has values.
	fill func(*Sweep)
	// multiply combines configurations with each of the axis's values.
	multiply func(*Sweep, []Config) []Config
}

func (k *sweepKey) swept() bool { return k.of != nil }

const (
	maxThreads = client.MaxThreads
	maxSpan    = 24 * time.Hour
)

// sweepKeys are in the order in which configurations are combined and IDs are made.
var sweepKeys = slices.Concat(
	[]sweepKey{
		axis("store", "Store", strictyaml.Word(stores.Names()),
			func(s *Sweep) *[]string { return &s.Stores },
			func(c *Config) *string { return &c.Store }).
			means("Stores to measure.", "["+strings.Join(stores.Names()[:2], ", ")+"]"),
		axis("placement", "Placement", testbed.PlacementName, // the testbed decides which exist
			func(s *Sweep) *[]string { return &s.Placements },
			func(c *Config) *string { return &c.Placement }).
			means("Placements of clients and server on the nodes of the testbed.",
				"[CH-SH, CH-SD]"),
		axis("submode", "Submode", strictyaml.Word(submode.Names()),
			func(s *Sweep) *[]string { return &s.Submodes },
			func(c *Config) *string { return &c.Submode }).
			means("Packet path between clients and server: off-path (cards in separated-host "+
				"mode), off-path-sf (DPU mode, scalable functions), a direct cable, or an on-path "+
				"submode of the study.",
				"[off-path, sm1]"),
		axis("filter", "Filter", filters,
			func(s *Sweep) *[]string { return &s.Filters },
			func(c *Config) *string { return &c.Filter }).optional().
			means("Packet filter in the DPU's datapath. It needs an on-path submode.",
				`[none, "drop-client:192.0.2.1"]`),
	},
	loadKeys(true),
	[]sweepKey{
		axis("server_threads", "ServerThreads", strictyaml.Whole(1, maxThreads),
			func(s *Sweep) *[]int { return &s.ServerThreads },
			func(c *Config) *int { return &c.ServerThreads }).
			means("Threads of the server.", "[1, 2]"),
		axis("client_threads", "ClientThreads", strictyaml.Whole(1, maxThreads),
			func(s *Sweep) *[]int { return &s.ClientThreads },
			func(c *Config) *int { return &c.ClientThreads }).
			means("Threads of each client.", "[1, 2, 4, 8]"),
	},
	loadKeys(false),
	setupKeys(""),
	[]sweepKey{
		axis("protocol", "Protocol", Protocols,
			func(s *Sweep) *[]string { return &s.Protocol },
			func(c *Config) *string { return &c.Protocol }).optional().
			means("Protocol between client and server, for stores that have several.",
				"binary"),
	},
	setupKeys(kvs.OfEngine, kvs.OfLanes, kvs.OfWorkers, kvs.OfReads),
	[]sweepKey{
		axis("neighbour", "Neighbour", neighbours,
			func(s *Sweep) *[]string { return &s.Neighbour },
			func(c *Config) *string { return &c.Neighbour }).optional().
			means("Work on the server's host beside the store: on the CPUs of the store's workers "+
				"(cpu), or on other CPUs, in the shared caches (cache) or with the bandwidth of "+
				"the memory (memory). See docs/tasks/shape-the-load.md.",
				"[none, cpu, cache, memory]"),
		axis("build", "Build", builds,
			func(s *Sweep) *[]string { return &s.Builds },
			func(c *Config) *string { return &c.Build }).optional().
			means("Builds of dpukv, measured side by side. It is written by dpukv sweep --beside. "+
				"See docs/tasks/compare-runs.md.",
				"[v1.0@0a1b2c3d, v1.1@4e5f6a7b]"),
		single("duration", strictyaml.Span(10*time.Millisecond, maxSpan),
			func(s *Sweep) *time.Duration { return &s.Duration }).
			identified("Duration", func(c *Config) any { return c.Duration }).
			means("Measurement period of each point.", "10s"),
		single("warmup", strictyaml.Span(0, maxSpan),
			func(s *Sweep) *time.Duration { return &s.Warmup }).
			identified("Warmup", func(c *Config) any { return c.Warmup }).
			means("Time under load before the measurement period.", "500ms"),
		single("repeats", strictyaml.Whole(1, 1000), func(s *Sweep) *int { return &s.Repeats }).
			means("Measurements of each configuration. Their rounds are interleaved.", "5"),
		single("repeats_until", until, func(s *Sweep) *float64 { return &s.RepeatsUntil }).
			means("Further repeats, at most 4 × repeats in all, of each configuration whose "+
				"medians of throughput and p99 latency have wider 95 % intervals. See "+
				"docs/tasks/compare-runs.md.",
				"5%"),
		single("seed", seeds, func(s *Sweep) *uint64 { return &s.Seed }).
			identified("Seed", func(c *Config) any { return c.Seed }).
			means("Seed of each thread's operations and of the order of points.", "7"),
		single("slo", slo, func(s *Sweep) *string { return &s.SLO }).
			means("Bound on a latency. The sweep searches the highest rate within it, for each "+
				"configuration. See docs/tasks/should-it-move.md.",
				"p99=200us"),
		measureKey(),
		single("attach", attachment, func(s *Sweep) *string { return &s.Attach }).
			identified("Attach", func(c *Config) any { return c.Attach }).optional().
			means("Address or URL of a running server to measure. The sweep stores keys there, "+
				"and removes them afterwards.",
				`"10.0.0.2:6379"`),
	},
)

// means gives the key its description and an example.
func (k sweepKey) means(help, example string) sweepKey {
	k.help, k.example = help, example
	return k
}

// identified has IDs depend on the key's value.
func (k sweepKey) identified(name string, of func(*Config) any) sweepKey {
	k.idName, k.identity = name, of
	return k
}

// optional leaves an empty value out of IDs. So IDs stay as they were before the key existed.
func (k sweepKey) optional() sweepKey {
	of := k.identity
	k.identity = func(c *Config) any {
		if value := of(c); !reflect.ValueOf(value).IsZero() {
			return value
		}
		return nil
	}
	return k
}

// axis makes the entry of a key whose values are combined with those of the others.
func axis[T any](
	name, idName string, c strictyaml.Codec[T], in func(*Sweep) *[]T, of func(*Config) *T,
) sweepKey {
	return sweepKey{
		name: name,
		read: func(f *strictyaml.File, s *Sweep, n ast.Node) { readAxis(f, s, name, n, in(s), c) },
		texts: func(s *Sweep) []string {
			if s.left[name] {
				return s.studied(func(config *Config) string { return c.Format(*of(config)) })
			}
			return texts(*in(s), c)
		},
		canonical: c.Canonical,
		allowed:   c.Allowed,
		fill: func(s *Sweep) {
			if len(*in(s)) == 0 {
				*in(s) = make([]T, 1)
			}
		},
		idName:   idName,
		identity: func(config *Config) any { return *of(config) },
		of:       func(config *Config) string { return c.Format(*of(config)) },
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
func single[T any](name string, c strictyaml.Codec[T], in func(*Sweep) *T) sweepKey {
	return sweepKey{
		name: name,
		read: func(f *strictyaml.File, s *Sweep, n ast.Node) {
			if v, where, ok := strictyaml.ReadValue(f, name, n, c); ok {
				*in(s) = v
				s.where[name+"="+c.Format(v)] = where
			}
		},
		texts:     func(s *Sweep) []string { return []string{c.Format(*in(s))} },
		canonical: c.Canonical,
		allowed:   c.Allowed,
	}
}

func texts[T any](values []T, c strictyaml.Codec[T]) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = c.Format(v)
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
