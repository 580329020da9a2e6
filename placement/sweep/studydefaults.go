package sweep

import (
	"dpukv/kvs"
)

// studyKeys are the keys whose default comes from each store's own study. No single default would
// suit all stores of a sweep.
var studyKeys = map[string]func(*Config, *kvs.StudyDefaults){
	"key_bytes":   func(c *Config, k *kvs.StudyDefaults) { c.KeyBytes = k.KeyBytes },
	"value_bytes": func(c *Config, k *kvs.StudyDefaults) { c.ValueBytes = k.ValueBytes },
	"batch":       func(c *Config, k *kvs.StudyDefaults) { c.Batch = k.Batch },
	"hash":        func(c *Config, k *kvs.StudyDefaults) { c.Hash = k.Hash },
	"access":      func(c *Config, k *kvs.StudyDefaults) { c.Access = k.Access },
}

func openKeys() map[string]bool {
	left := map[string]bool{}
	for key := range studyKeys {
		left[key] = true
	}
	return left
}
