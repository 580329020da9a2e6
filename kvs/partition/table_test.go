package partition

import (
	"testing"

	"pgregory.net/rapid"
)

// FuzzTable lets the fuzzer choose the operations of the metamorphic test, in every mode.
func FuzzTable(f *testing.F) {
	tables := newTables(f, Config{Cores: 1, PerCore: 2, Items: 4, LogBytes: 2 * minLogBytes})
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		metamorphic(t, tables[rapid.IntRange(0, len(tables)-1).Draw(t, "table")])
	}))
}
