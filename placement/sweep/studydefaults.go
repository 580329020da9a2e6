package sweep

import (
	"slices"

	"dpukv/kvs"
	"dpukv/kvs/stores"
)

// studyKeys are the keys whose value, where a sweep file does not say it, is that of each store's own
// study: there is no single default that would suit all stores of a sweep.
var studyKeys = map[string]func(*Config, *kvs.Knobs){
	"key_bytes":   func(c *Config, k *kvs.Knobs) { c.KeyBytes = k.KeyBytes },
	"value_bytes": func(c *Config, k *kvs.Knobs) { c.ValueBytes = k.ValueBytes },
	"batch":       func(c *Config, k *kvs.Knobs) { c.Batch = k.Batch },
	"hash":        func(c *Config, k *kvs.Knobs) { c.Hash = k.Hash },
	"access":      func(c *Config, k *kvs.Knobs) { c.Access = k.Access },
}

func openKeys() map[string]bool {
	left := map[string]bool{}
	for key := range studyKeys {
		left[key] = true
	}
	return left
}

// asStudied gives a configuration the values of its store's study, for what the sweep leaves open.
func (s *Sweep) asStudied(c *Config) {
	st, err := stores.Named(c.Store)
	if err != nil {
		panic(err) // the key stores has no other values
	}
	for key := range s.left {
		studyKeys[key](c, &st.Study)
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
