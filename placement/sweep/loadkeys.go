package sweep

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/field"
	"dpukv/internal/strictyaml"
	"dpukv/kvs"
	"dpukv/load"
)

// axes holds the values of a sweep's axes, as canonical texts by key. A field without an entry has
// its zero value.
type axes map[string][]string

// with returns the axes with other values of one key.
func (a axes) with(key string, texts ...string) axes {
	all := maps.Clone(a)
	if all == nil {
		all = axes{}
	}
	all[key] = texts
	return all
}

// ArriveEvenly makes equal distances the arrivals of a sweep that names none.
func (s *Sweep) ArriveEvenly() {
	f := load.FieldOf("arrivals")
	if s.Axes[f.Key] == nil {
		s.Axes = s.Axes.with(f.Key, f.Text(&load.Load{Arrivals: load.Constant}))
	}
}

// textsOf returns the values of a field.
func textsOf[S any](a axes, f *field.Field[S]) []string {
	if texts, there := a[f.Key]; there {
		return texts
	}
	return []string{f.Text(new(S))}
}

// loadKeys makes the keys of the load's fields: those that come before the threads' keys, or those
// after them.
func loadKeys(beforeThreads bool) []sweepKey {
	var keys []sweepKey
	axes := load.Axes()
	last := slices.IndexFunc(axes, func(f load.Field) bool { return f.Name == "connections" })
	for i := range axes {
		if (i <= last) == beforeThreads {
			key := loadKey(&axes[i])
			if axes[i].Name == "rate_ops" {
				key = withShares(key)
			}
			keys = append(keys, key)
		}
	}
	return keys
}

// setupKeys makes the keys of the fields of a server's setup that these have.
func setupKeys(of ...string) (keys []sweepKey) {
	for _, f := range kvs.SetupFields() {
		if slices.Contains(of, f.Of) {
			keys = append(keys, fieldKey(&f, func(c *Config) *kvs.Setup { return &c.Setup }))
		}
	}
	return keys
}

// loadKey makes the entry of a field of the load.
func loadKey(f *load.Field) sweepKey {
	key := fieldKey(f, func(c *Config) *load.Load { return &c.Load })
	own := key.texts
	key.texts = func(s *Sweep) []string {
		switch {
		case s.ofMix(f.Key):
			return s.mixed(f)
		case f.Default != "" && s.Axes[f.Key] == nil:
			return s.atRates(f)
		}
		return own(s)
	}
	return key
}

// fieldKey makes the entry of a row of a table.
func fieldKey[S any](f *field.Field[S], in func(*Config) *S) sweepKey {
	c := f.Texts()
	of := func(config *Config) string { return f.Text(in(config)) }
	return sweepKey{
		name: f.Key, dependent: f.Default, help: f.Help, example: f.Example, allowed: f.Allowed,
		read: func(file *strictyaml.File, s *Sweep, n ast.Node) {
			s.Axes = s.Axes.with(f.Key, readAxis(file, s, f.Key, n, c)...)
		},
		texts: func(s *Sweep) []string {
			if s.left[f.Key] {
				return s.studied(of)
			}
			return textsOf(s.Axes, f)
		},
		canonical: f.Canonical,
		owner:     f.Of, own: f.Own, clear: func(config *Config) { f.Clear(in(config)) },
		idName: f.ID,
		identity: func(config *Config) any {
			if f.Optional && f.IsZero(in(config)) {
				return nil
			}
			return f.Value(in(config))
		},
		of: of,
		multiply: func(s *Sweep, configs []Config) []Config {
			if f.Default != "" && s.Axes[f.Key] == nil {
				for i := range configs {
					f.SetDefault(in(&configs[i]))
				}
				return configs
			}
			texts, said := textsOf(s.Axes, f), s.says(f.Key)
			product := make([]Config, 0, len(configs)*len(texts))
			for _, config := range configs {
				if !said && config.Decides(f.Key) {
					product = append(product, config)
					continue
				}
				for _, text := range texts {
					next := config
					setText(f, in(&next), text)
					product = append(product, next)
				}
			}
			return product
		},
	}
}

// setText sets a value of a sweep, which was read before.
func setText[S any](f *field.Field[S], in *S, text string) {
	if err := f.Set(in, text); err != nil {
		panic(f.Key + " holds " + text + ", which is not one of its values")
	}
}

// The keys whose values stand for those of others.
const (
	mixKey   = "mix"
	traceKey = "trace"
)

// eachMix calls do with a load of each mix and each trace of the sweep.
func (s *Sweep) eachMix(do func(*load.Load)) {
	mix, trace := load.FieldOf(mixKey), load.FieldOf(traceKey)
	for _, mixed := range textsOf(s.Axes, mix) {
		for _, traced := range textsOf(s.Axes, trace) {
			var l load.Load
			setText(mix, &l, mixed)
			setText(trace, &l, traced)
			do(&l)
		}
	}
}

// ofMix reports whether a mix or a trace of the sweep decides a key that the file leaves out.
func (s *Sweep) ofMix(key string) (decides bool) {
	if s.Axes[mixKey] == nil && s.Axes[traceKey] == nil || s.says(key) {
		return false
	}
	s.eachMix(func(l *load.Load) { decides = decides || l.Decides(key) })
	return decides
}

// mixed returns the values of a field that the file leaves to its mixes, or to none of them.
func (s *Sweep) mixed(f *load.Field) (values []string) {
	s.eachMix(func(l *load.Load) {
		texts := []string{f.Text(l)}
		if !l.Decides(f.Key) && s.left[f.Key] {
			texts = s.studied(func(c *Config) string { return f.Text(&c.Load) })
		} else if !l.Decides(f.Key) {
			texts = textsOf(s.Axes, f)
		}
		for _, text := range texts {
			if !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
	})
	return values
}

// atRates returns the defaults of a field at the sweep's rates.
func (s *Sweep) atRates(f *load.Field) []string {
	rate := load.FieldOf("rate_ops")
	var values []string
	for _, text := range textsOf(s.Axes, rate) {
		var l load.Load
		setText(rate, &l, text)
		f.SetDefault(&l)
		if value := f.Text(&l); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
