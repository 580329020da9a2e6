package sweep

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"dpukv/client"
	"dpukv/internal/field"
	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/placement/neighbour"
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
	// own tells that a server which runs already has its own value.
	owner string
	clear func(*Config)
	own   bool

	// For axes only; nil for a key with a single value:

	// of returns the text of a configuration's value.
	of func(*Config) string
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
	configKeys(
		field.Of(configField{
			Key: "store", ID: "Store", Help: "Stores to measure.",
			Example: "[" + strings.Join(stores.Names()[:2], ", ") + "]",
		}, func(c *Config) *string { return &c.Store }, field.Word(stores.Names())),
		field.Of(configField{
			Key: "placement", ID: "Placement",
			Help:    "Placements of clients and server on the nodes of the testbed.",
			Example: "[CH-SH, CH-SD]",
		}, func(c *Config) *string { return &c.Placement },
			testbed.PlacementName), // the testbed decides which exist
		field.Of(configField{
			Key: "submode", ID: "Submode",
			Help: "Packet path between clients and server: off-path (cards in separated-host " +
				"mode), off-path-sf (DPU mode, scalable functions), a direct cable, or an " +
				"on-path submode of the study.",
			Example: "[off-path, sm1]",
		}, func(c *Config) *string { return &c.Submode }, field.Word(submode.Names())),
		field.Of(configField{
			Key: "filter", ID: "Filter", Optional: true,
			Help:    "Packet filter in the DPU's datapath. It needs an on-path submode.",
			Example: `[none, "drop-client:192.0.2.1"]`,
		}, func(c *Config) *string { return &c.Filter }, filters),
	),
	loadKeys(true),
	configKeys(
		field.Numbers(configField{
			Key: "server_threads", ID: "ServerThreads", Own: true, Help: "Threads of the server.",
			Example: "[1, 2]",
		}, func(c *Config) *int { return &c.ServerThreads }, field.Whole(1, maxThreads)),
		field.Numbers(configField{
			Key: "client_threads", ID: "ClientThreads", Help: "Threads of each client.",
			Example: "[1, 2, 4, 8]",
		}, func(c *Config) *int { return &c.ClientThreads }, field.Whole(1, maxThreads)),
	),
	loadKeys(false),
	setupKeys(""),
	configKeys(
		field.Of(configField{
			Key: "protocol", ID: "Protocol", Optional: true,
			Help:    "Protocol between client and server, for stores that have several.",
			Example: "binary",
		}, func(c *Config) *string { return &c.Protocol }, Protocols),
	),
	setupKeys(kvs.OfEngine, kvs.OfLanes, kvs.OfWorkers, kvs.OfReads),
	configKeys(
		field.Of(configField{
			Key: "neighbour", ID: "Neighbour", Optional: true,
			Help: "Work on the server's host beside the store: on the CPUs of the store's " +
				"workers (cpu), or on other CPUs, in the shared caches (cache) or with the " +
				"bandwidth of the memory (memory). See docs/tasks/shape-the-load.md.",
			Example: "[none, cpu, cache, memory]",
		}, func(c *Config) *string { return &c.Neighbour },
			field.Or(neighbour.None, field.Word(neighbour.Kinds()))),
		field.Of(configField{
			Key: "build", ID: "Build", Optional: true,
			Help: "Builds of dpukv, measured side by side. It is written by dpukv sweep " +
				"--beside. See docs/tasks/compare-runs.md.",
			Example: "[v1.0@0a1b2c3d, v1.1@4e5f6a7b]",
		}, func(c *Config) *string { return &c.Build }, builds),
	),
	[]sweepKey{
		single(field.Of(fileField{
			Key: "duration", ID: "Duration", Help: "Measurement period of each point.",
			Example: "10s",
		}, func(s *Sweep) *time.Duration { return &s.Duration },
			field.Span(10*time.Millisecond, maxSpan)), func(c *Config) any { return c.Duration }),
		single(field.Of(fileField{
			Key: "warmup", ID: "Warmup", Help: "Time under load before the measurement period.",
			Example: "500ms",
		}, func(s *Sweep) *time.Duration { return &s.Warmup }, field.Span(0, maxSpan)),
			func(c *Config) any { return c.Warmup }),
		single(field.Numbers(fileField{
			Key:     "repeats",
			Help:    "Measurements of each configuration. Their rounds are interleaved.",
			Example: "5",
		}, func(s *Sweep) *int { return &s.Repeats }, field.Whole(1, 1000)), nil),
		single(field.Of(fileField{
			Key: "repeats_until",
			Help: "Further repeats, at most 4 × repeats in all, of each configuration whose " +
				"medians of throughput and p99 latency have wider 95 % intervals. See " +
				"docs/tasks/compare-runs.md.",
			Example: "5%",
		}, func(s *Sweep) *float64 { return &s.RepeatsUntil }, until), nil),
		single(field.Of(fileField{
			Key: "seed", ID: "Seed", Numeric: true,
			Help:    "Seed of each thread's operations and of the order of points.",
			Example: "7",
		}, func(s *Sweep) *uint64 { return &s.Seed },
			field.Unsigned(63, "a whole number from 0 to 9223372036854775807")),
			func(c *Config) any { return c.Seed }),
		single(field.Of(fileField{
			Key: "slo",
			Help: "Bound on a latency. The sweep searches the highest rate within it, for each " +
				"configuration. See docs/tasks/should-it-move.md.",
			Example: "p99=200us",
		}, func(s *Sweep) *string { return &s.SLO }, slo), nil),
		measureKey(),
		single(field.Of(fileField{
			Key: "attach", ID: "Attach",
			Help: "Address or URL of a running server to measure. The sweep stores keys there, " +
				"and removes them afterwards.",
			Example: `"10.0.0.2:6379"`,
		}, func(s *Sweep) *string { return &s.Attach }, attachment), func(c *Config) any {
			if c.Attach == "" {
				return nil // as before the key existed
			}
			return c.Attach
		}),
	},
)

// configField is a row of a configuration's own fields, and fileField of those that all
// configurations of a sweep share.
type (
	configField = field.Field[Config]
	fileField   = field.Field[Sweep]
)

// configKeys makes the keys of a configuration's own fields.
func configKeys(rows ...configField) (keys []sweepKey) {
	for i := range rows {
		keys = append(keys, fieldKey(&rows[i], func(c *Config) *Config { return c }))
	}
	return keys
}

// single makes the entry of a key that has one value for the whole sweep. identity is the value in
// the input of IDs, which nil leaves out.
func single(row fileField, identity func(*Config) any) sweepKey {
	return sweepKey{
		name: row.Key, help: row.Help, example: row.Example, allowed: row.Allowed,
		read: func(f *strictyaml.File, s *Sweep, n ast.Node) {
			if text, where, ok := strictyaml.ReadValue(f, row.Key, n, row.Texts()); ok {
				setText(&row, s, text)
				s.where[row.Key+"="+text] = where
			}
		},
		texts:     func(s *Sweep) []string { return []string{row.Text(s)} },
		canonical: row.Canonical,
		idName:    row.ID, identity: identity,
	}
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
