package client

import (
	"fmt"

	"dpukv/kvs"
)

// maxKeys is what an operation's cookie has bits for.
const maxKeys = 1 << keyBits

// Workload says which operations are done on which keys.
type Workload struct {
	Keys       int     `json:"keys"` // different keys, all preloaded
	KeyBytes   int     `json:"key_bytes"`
	ValueBytes int     `json:"value_bytes"`
	GetRatio   float64 `json:"get_ratio"` // share of GETs; the rest are SETs
	Dist       Dist    `json:"dist"`
	// Seed decides the sequence of operations of each thread.
	Seed uint64 `json:"seed"`
}

// Validate reports the first field with a value that no store here can do.
func (w *Workload) Validate() error {
	switch {
	case w.KeyBytes < 1 || w.KeyBytes > kvs.MaxKeyBytes:
		return fmt.Errorf("key_bytes is %d, allowed is 1 to %d", w.KeyBytes, kvs.MaxKeyBytes)
	case w.Keys < 1 || w.Keys > maxKeys:
		return fmt.Errorf("keys is %d, allowed is 1 to %d", w.Keys, maxKeys)
	case w.KeyBytes < 8 && uint64(w.Keys) > 1<<(8*w.KeyBytes):
		return fmt.Errorf("keys is %d, but key_bytes %d allows only %d different keys: "+
			"ask for longer keys or fewer", w.Keys, w.KeyBytes, 1<<(8*w.KeyBytes))
	case w.ValueBytes < 0 || w.ValueBytes > kvs.MaxValueBytes:
		return fmt.Errorf("value_bytes is %d, allowed is 0 to %d", w.ValueBytes, kvs.MaxValueBytes)
	case !(w.GetRatio >= 0 && w.GetRatio <= 1): // NaN is refused too
		return fmt.Errorf("get_ratio is %v, allowed is 0 to 1", w.GetRatio)
	}
	return nil
}
