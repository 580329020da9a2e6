package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dpukv/internal/field"
	"dpukv/internal/strictyaml"
	"dpukv/kvs/stores"
	"dpukv/load"
	"dpukv/results"
)

// Sweep is the content of a sweep file. Every value of an axis is combined with every value of the
// others.
type Sweep struct {
	Axes axes

	Duration, Warmup time.Duration
	Repeats          int
	Seed             uint64
	Attach           string // the address of a running server; "": each point starts one
	// SLO is the bound of a search for the highest rate, such as "p99=200µs"; "": no search.
	SLO string
	// Shares are the rates as shares of the peak, as the file has them; nil: rates in operations.
	Shares []string
	// RepeatsUntil ends the repeats: an end of a median's interval is at most so far from it, in
	// per cent of it. 0: there are exactly Repeats.
	RepeatsUntil float64

	// Measures are what the sweep measures; nil: stores.
	Measures []Measure
	nodes    []string // of the testbed

	// the stores' own keys that the file leaves to each store's study
	left map[string]bool
	// the values' places in their file, by key and text; see place
	where map[string]strictyaml.Position
}

// Default returns the study's case of MICA, as far as one machine allows it: 72 points, three
// minutes. Its repeats suffice to compare two runs.
func Default() Sweep {
	return Sweep{
		Axes: axes{
			"store": {stores.Default().Name}, "placement": {"CH-SH"}, "submode": {"off-path"},
			"server_threads": {"1"}, "client_threads": {"1", "2", "4", "8"},
			"get_ratio": {"1", "0.95", "0.5"}, "dist": {"uniform"},
			"keys": {"1000000"}, "key_bytes": {"8"}, "value_bytes": {"8"},
			"batch": {"64"}, "window": {"1"}, "connections": {"1"},
			"rate": {"0"}, "hash": {"city64"},
			"mode": {"cache"}, "access": {"erew"},
		},
		Duration: 1500 * time.Millisecond, Warmup: 300 * time.Millisecond,
		Repeats: results.DefaultRepeats, Seed: 1,
	}
}

// Quick returns the default sweep, short enough to watch: nine points in about 20 seconds.
func Quick() Sweep {
	s := Default()
	s.Axes = s.Axes.with("client_threads", "1", "2", "4")
	s.Duration, s.Warmup, s.Repeats = time.Second, 250*time.Millisecond, 1
	return s
}

// Points lists the sweep's points in the order of measurement: every configuration once, then all
// again. So a slow drift of the machine spreads over all configurations, and does not look like the
// effect of one. For the same reason, each round has an order of its own, shuffled by the sweep's
// seed. If the rates follow from the peaks, these are the points of the peaks.
func (s *Sweep) Points() []Point {
	first := s.ProbePoints()
	configs := s.Configs()
	if s.FromPeaks() {
		return append(first, s.PeakPoints(configs)...)
	}
	return append(first, s.shuffled(configs)...)
}

// Configs combines the axes' values, the last axis fastest. If the rates follow from the peaks, the
// configurations have no rate yet: see [Config.AtRate]. Probes have configurations of their own:
// see [Sweep.ProbeConfigs].
func (s *Sweep) Configs() []Config {
	if !s.MeasuresStores() {
		return nil
	}
	first := Config{Duration: s.Duration, Attach: s.Attach}
	for i := range sweepKeys {
		if k := &sweepKeys[i]; s.Attach != "" && k.own && !s.says(k.name) {
			first.taken += " " + k.name
		}
	}
	first.Warmup, first.Seed = s.Warmup, s.Seed
	all := []Config{first}
	for i := range sweepKeys {
		if sweepKeys[i].swept() {
			all = sweepKeys[i].multiply(s, all)
		}
	}
	for i := range all {
		s.asStudied(&all[i])
		if all[i].Requests > 0 || all[i].Replays() && !s.says("duration") {
			all[i].Duration = 0 // the requests end the measurement, or the trace does
		}
		if all[i].Replays() && !s.says("warmup") {
			all[i].Warmup = 0
		}
	}
	return oneOfWhole(all)
}

// Size returns the highest number of points, or the limit if there are more.
func (s *Sweep) Size(limit int) int {
	n := s.MostRepeats()
	for i := range sweepKeys {
		if k := &sweepKeys[i]; k.swept() && (!s.leaves(k) || s.ofMix(k.name)) {
			n = min(limit, n*len(sweepKeys[i].texts(s))) // the factors are small: no overflow
		}
	}
	if !s.MeasuresStores() {
		n = 0
	}
	for _, m := range s.probes() {
		n = min(limit, n+s.probeSize(&m, limit))
	}
	return n
}

// probeSize returns the highest number of points of a measure, or the limit if there are more.
func (s *Sweep) probeSize(m *Measure, limit int) int {
	n := s.Repeats * max(1, len(m.Nodes))
	if m.kind().Pair {
		n = s.Repeats * len(m.Placements) * len(m.Submodes)
	}
	for _, values := range m.Values {
		n = min(limit, n*len(values))
	}
	return n
}

// PlaceOf returns the place of the value that an error of the load is about, as Place does.
func (s *Sweep) PlaceOf(err error) string {
	var of *load.FieldError
	if !errors.As(err, &of) {
		return ""
	}
	return s.Place(of.Field.Key, of.Text)
}

// Place returns a value's place in its file, as the begin of an error. It is "" for a built-in
// sweep.
func (s *Sweep) Place(key, text string) string {
	if p, ok := s.where[key+"="+text]; ok {
		return p.String() + ": "
	}
	return ""
}

// MaxPoints is more than a year of measuring: a sweep with more has a mistake in an axis.
const MaxPoints = 1_000_000

// leaves reports whether each configuration has a default of its own for the key.
func (s *Sweep) leaves(k *sweepKey) bool {
	return s.left[k.name] || k.dependent != "" && s.Axes[k.name] == nil
}

// Marshal writes the sweep as a file with every key, except those that it leaves open.
func (s *Sweep) Marshal() []byte {
	var b bytes.Buffer
	for i := range sweepKeys {
		k := &sweepKeys[i]
		if s.leaves(k) || s.ofMix(k.name) {
			continue // as it is in the file that it was read from
		}
		value := strings.Join(k.texts(s), ", ")
		if k.swept() {
			value = "[" + value + "]"
		}
		fmt.Fprintf(&b, "%s: %s\n", k.name, value)
	}
	return b.Bytes()
}

// AttachTo makes the sweep measure the server at addr.
func (s *Sweep) AttachTo(addr string) (err error) {
	if s.Attach, err = attachment.Parse(addr); err != nil {
		var secret field.Unquoted
		if errors.As(err, &secret) {
			return fmt.Errorf("--attach: %w", secret)
		}
		return fmt.Errorf("--attach: found %s, allowed: %s", addr, attachment.Allowed)
	}
	return nil
}

// Values returns the values of a key.
func (s *Sweep) Values(key string) []string { return sweepKeys[keyIndex(key)].texts(s) }

// Value returns the values of a key, as a file has them.
func (s *Sweep) Value(key string) string { return strings.Join(s.Values(key), ", ") }

// says reports whether the file has a key.
func (s *Sweep) says(key string) bool {
	for value := range s.where {
		if strings.HasPrefix(value, key+"=") {
			return true
		}
	}
	return false
}

// asStudied sets the keys that the sweep leaves open to the values of the store's study.
func (s *Sweep) asStudied(c *Config) {
	st, err := stores.Named(c.Store)
	if err != nil {
		panic(err) // the key store has no other values
	}
	for key := range s.left {
		if !c.Decides(key) {
			studyKeys[key](c, &st.Study)
		}
	}
}

// studied returns the values of an open key over the stores, in the form of of.
func (s *Sweep) studied(of func(*Config) string) []string {
	var values []string
	for _, store := range s.Axes["store"] {
		c := Config{Store: store}
		s.asStudied(&c)
		if value := of(&c); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
