package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/field"
	"dpukv/internal/strictyaml"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
	"dpukv/probe"
	"dpukv/probe/probes"
)

// measureStores is the word for points of stores in the key measure.
const measureStores = "kvs"

// Keys of a measure beside the axes of its kind.
const (
	placementKey = "placement" // of a kind that measures a path
	submodeKey   = "submode"
	nodeKey      = "node" // of a kind that measures one machine
)

// Measure is one kind of points in a sweep, with the values of the kind's axes. An axis that the
// file does not name has its default.
type Measure struct {
	Kind       string // measureStores, or the kind of a probe
	Values     map[string][]string
	Placements []string // nil: the sweep's
	Submodes   []string // nil: the sweep's
	Nodes      []string // nil: all nodes of the testbed
}

// OnNodes names the nodes of a testbed: those of probes that name none.
func (s *Sweep) OnNodes(names []string) { s.nodes = names }

// MeasuresStores reports whether the sweep has points of stores.
func (s *Sweep) MeasuresStores() bool {
	return s.Measures == nil || slices.ContainsFunc(s.Measures, func(m Measure) bool {
		return m.Kind == measureStores
	})
}

// probes returns the measures of the sweep that are probes, with the places that the file leaves to
// the sweep and its testbed.
func (s *Sweep) probes() (list []Measure) {
	for _, m := range s.Measures {
		if m.Kind == measureStores {
			continue
		}
		if m.Placements == nil {
			m.Placements = s.Axes[placementKey]
		}
		if m.Submodes == nil {
			m.Submodes = s.Axes[submodeKey]
		}
		if m.Nodes == nil {
			m.Nodes = s.nodes
		}
		list = append(list, m)
	}
	return list
}

// ProbeConfigs returns the configurations of all probes, in the order of the file.
func (s *Sweep) ProbeConfigs() []Config {
	var all []Config
	known := map[Config]bool{} // two measures of one kind may meet
	for _, m := range s.probes() {
		kind := m.kind()
		base := Config{Measure: m.Kind, Duration: s.Duration}
		base.Warmup, base.Seed = s.Warmup, s.Seed
		for _, settings := range kind.All(m.Values) {
			base.Settings = settings
			for _, c := range m.spots(kind.Pair, base) {
				if !known[c] {
					known[c], all = true, append(all, c)
				}
			}
		}
	}
	return all
}

// ProbePoints lists the points of all probes in the order of measurement.
func (s *Sweep) ProbePoints() []Point { return s.shuffled(s.ProbeConfigs()) }

// spots returns a configuration for each place where a measure takes place.
func (m *Measure) spots(pair bool, c Config) (all []Config) {
	if !pair {
		for _, c.Placement = range m.Nodes {
			all = append(all, c)
		}
		return all
	}
	for _, c.Placement = range m.Placements {
		for _, c.Submode = range m.Submodes {
			all = append(all, c)
		}
	}
	return all
}

// kind returns the kind of a probe.
func (m *Measure) kind() *probe.Kind {
	kind, err := probes.Named(m.Kind)
	if err != nil {
		panic(err) // the key measure has no other values
	}
	return kind
}

// measureKey makes the entry of the key measure.
func measureKey() sweepKey {
	allowed := "one of these, or a list of them: " + strings.Join(kindNames(), ", ")
	return sweepKey{
		name: "measure", allowed: allowed + "; a probe may have axes: {network: {cores: [1, 2]}}",
		help: "What to measure: stores (kvs), or what their placements are made of. See " +
			"docs/tasks/probes.md.",
		example: "[memory, {network: {cores: [1, 2]}}]",
		read: func(f *strictyaml.File, s *Sweep, n ast.Node) {
			nodes := items(n)
			if len(nodes) == 0 {
				f.Fault(f.Place(n), "measure: found an empty list, allowed: %s", allowed)
			}
			s.Measures = nil
			for _, n := range nodes {
				if m, ok := readMeasure(f, n); ok {
					s.Measures = append(s.Measures, m)
				}
			}
			if len(s.probes()) == 0 {
				s.Measures = nil // as without the key
			}
		},
		texts: func(s *Sweep) []string { return []string{s.measureText()} },
	}
}

func kindNames() []string { return append([]string{measureStores}, probes.Names()...) }

// readMeasure reads the name of a kind, or the name with axes.
func readMeasure(f *strictyaml.File, n ast.Node) (m Measure, ok bool) {
	kinds := field.Word(kindNames())
	if _, isMap := n.(ast.MapNode); !isMap {
		m.Kind, _, ok = strictyaml.ReadValue(f, "measure", n, kinds)
		return m, ok
	}
	entries := f.Mapping("measure", n)
	if len(entries) != 1 {
		f.Fault(f.Place(n), "measure: found %d keys in one item, allowed: one kind in an item",
			len(entries))
		return m, false
	}
	e := entries[0]
	kind, err := probes.Named(e.Key)
	if err != nil {
		f.Fault(e.At, "%v with axes", err)
		return m, false
	}
	m.Kind, m.Values = e.Key, map[string][]string{}
	before := len(f.Faults)
	for _, axis := range f.Mapping(e.Key, e.Value) {
		m.readAxis(f, kind, axis)
	}
	return m, len(f.Faults) == before
}

// readAxis reads the values of one axis of a probe.
func (m *Measure) readAxis(f *strictyaml.File, kind *probe.Kind, e strictyaml.Entry) {
	var own *[]string
	codec := testbed.PlacementName
	switch {
	case kind.Pair && e.Key == placementKey:
		own = &m.Placements
	case kind.Pair && e.Key == submodeKey:
		own, codec = &m.Submodes, field.Word(submode.Names())
	case !kind.Pair && e.Key == nodeKey:
		own = &m.Nodes
	}
	if own == nil {
		axis, err := kind.Axis(e.Key)
		if err != nil {
			f.Fault(e.At, "%v, %s", err, strings.Join(spotKeys(kind), ", "))
			return
		}
		codec, own = axis.Codec, new([]string)
		defer func() { m.Values[e.Key] = *own }()
	}
	name := m.Kind + ": " + e.Key
	nodes := items(e.Value)
	if len(nodes) == 0 {
		f.Fault(f.Place(e.Value), "%s: found an empty list, allowed: %s", name, codec.Allowed)
	}
	for _, n := range nodes {
		v, where, ok := strictyaml.ReadValue(f, name, n, codec)
		if ok && slices.Contains(*own, v) {
			f.Fault(where, "%s: found %s a second time, allowed: each value once", name, v)
		}
		*own = append(*own, v)
	}
}

// spotKeys are the keys that say where a kind measures.
func spotKeys(kind *probe.Kind) []string {
	if kind.Pair {
		return []string{placementKey, submodeKey}
	}
	return []string{nodeKey}
}

// measureText is the value of the key measure, as a file has it.
func (s *Sweep) measureText() string {
	if s.Measures == nil {
		return measureStores
	}
	var kinds []string
	for i := range s.Measures {
		kinds = append(kinds, s.Measures[i].text())
	}
	if len(kinds) == 1 {
		return kinds[0]
	}
	return "[" + strings.Join(kinds, ", ") + "]"
}

func (m *Measure) text() string {
	if m.Kind == measureStores {
		return m.Kind
	}
	var axes []string
	add := func(name string, values []string) {
		if values != nil {
			axes = append(axes, name+": ["+strings.Join(values, ", ")+"]")
		}
	}
	add(nodeKey, m.Nodes)
	add(placementKey, m.Placements)
	add(submodeKey, m.Submodes)
	kind := m.kind()
	for i := range kind.Axes {
		add(kind.Axes[i].Name, m.Values[kind.Axes[i].Name])
	}
	if axes == nil {
		return m.Kind
	}
	return "{" + m.Kind + ": {" + strings.Join(axes, ", ") + "}}"
}

// IsProbe reports whether the configuration measures no store.
func (c *Config) IsProbe() bool { return c.Measure != "" }

// Probe returns the kind of a probe.
func (c *Config) Probe() *probe.Kind { return (&Measure{Kind: c.Measure}).kind() }

// probeID names a probe as [Config.id] names a store's point.
func (c *Config) probeID(repeat int) string {
	parts := []string{c.Measure, c.Placement}
	if c.Submode != "" {
		parts = append(parts, c.Submode)
	}
	for _, s := range c.Settings.List() {
		parts = append(parts, s.Value)
	}
	sum := sha256.Sum256(c.probeIdentity())
	return strings.Join(append(parts, hex.EncodeToString(sum[:4]), "r"+strconv.Itoa(repeat)), "-")
}

// probeIdentity is the input of the digest in a probe's ID.
func (c *Config) probeIdentity() []byte {
	text, err := json.Marshal(map[string]any{
		"Measure": c.Measure, "Settings": c.Settings, "Placement": c.Placement,
		"Submode": c.Submode, "Duration": c.Duration, "Warmup": c.Warmup, "Seed": c.Seed,
	})
	if err != nil {
		panic(err) // numbers and words
	}
	return text
}

// describeProbe is [Config.Describe] of a probe.
func (c *Config) describeProbe() string {
	where := c.Placement
	if c.Submode != "" {
		where += " " + c.Submode
	}
	return fmt.Sprintf("%s %s, %s", c.Measure, where, c.Settings)
}
