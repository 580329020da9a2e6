package partition

import (
	"encoding/binary"
	"fmt"
	"testing"

	"dpukv/kvs"

	"github.com/go-faster/city"
)

// TestHitRate fills a table with the items that it is sized for. The table must keep the share that
// its mode promises, whatever their number and however many partitions share them.
func TestHitRate(t *testing.T) {
	seeds := 5
	if testing.Short() {
		seeds = 1
		t.Log("a short run: one seed")
	}
	for _, mode := range []Mode{Cache, Store} {
		for _, items := range []int{1, 10, 100, 1000, 5000, 100_000} {
			for _, partitions := range []int{1, 3, 8} {
				t.Run(fmt.Sprint(mode, items, partitions), func(t *testing.T) {
					table := newTable(t, Config{
						Mode: mode, Cores: 1, PerCore: partitions, Items: items,
						LogBytes: LogBytesFor(items, 8, 8, mode, partitions),
					})
					core := table.Core(0)
					for seed := range uint64(seeds) {
						table.reset()
						each(core, items, seed, kvs.Set)
						rate := float64(each(core, items, seed, kvs.Get)) / float64(items)
						if rate < mode.MinHitRate() {
							t.Errorf("seed %d: hit rate %.4f, want %.2f", seed, rate, mode.MinHitRate())
						}
					}
				})
			}
		}
	}
}

// each executes an operation on every key of a seed, and counts the successful ones.
func each(core *Core, items int, seed uint64, code kvs.Op) (ok int) {
	out := make([]byte, 0, 8)
	for i := range items {
		k := binary.LittleEndian.AppendUint64(nil, uint64(i)|seed<<32)
		op := []Op{{Code: code, Key: k, Value: k, Hash: city.Hash64(k)}}
		core.Execute(op, out)
		if op[0].Status == kvs.OK {
			ok++
		}
	}
	return ok
}
