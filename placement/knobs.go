package placement

import (
	"slices"

	"dpukv/kvs"
)

// knobKeys are the keys whose value, where a sweep file does not say it, is that of each store's own
// study: there is no single default that would suit all stores of a sweep.
var knobKeys = map[string]func(*Config, *kvs.StudyDefaults){
	"key_bytes":   func(c *Config, k *kvs.StudyDefaults) { c.KeyBytes = k.KeyBytes },
	"value_bytes": func(c *Config, k *kvs.StudyDefaults) { c.ValueBytes = k.ValueBytes },
	"batch":       func(c *Config, k *kvs.StudyDefaults) { c.Batch = k.Batch },
	"hash":        func(c *Config, k *kvs.StudyDefaults) { c.Hash = k.Hash },
	"access":      func(c *Config, k *kvs.StudyDefaults) { c.Access = k.Access },
}

func leftToStores() map[string]bool {
	left := map[string]bool{}
	for key := range knobKeys {
		left[key] = true
	}
	return left
}

// asStudied gives a configuration the values of its store's study, for what the sweep leaves open.
func (s *Sweep) asStudied(c *Config) {
	study := stores[c.Store].study
	for key := range s.left {
		knobKeys[key](c, &study)
	}
}

// studied are the values, as of writes them, that a key left open has over the stores.
func (s *Sweep) studied(of func(*Config) string) []string {
	var values []string
	for _, store := range s.Stores {
		c := Config{Store: store}
		s.asStudied(&c)
		if value := of(&c); !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}
