package trace

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// known is a trace of known statistics: the key of rank R has a share proportional to 1/R^zipf.
type known struct {
	operations, keys int
	zipf             float64
	gets             float64 // share; the others are sets
	gap              time.Duration
	seed             uint64
}

// each makes the operations. The number of a key is its rank less one.
func (k *known) each(do func(atNs int64, rank, valueBytes int, op kvs.Op)) {
	rng := rand.New(rand.NewPCG(k.seed, 1))
	below := make([]float64, k.keys) // the share of all ranks up to this one
	sum := 0.0
	for i := range below {
		sum += math.Pow(float64(i+1), -k.zipf)
		below[i] = sum
	}
	for i := range k.operations {
		rank, _ := slices.BinarySearch(below, rng.Float64()*sum)
		op := kvs.Set
		if rng.Float64() < k.gets {
			op = kvs.Get
		}
		do(int64(i)*int64(k.gap), rank, 10+rank%90, op)
	}
}

// write makes a file of the trace in the compact form.
func (k *known) write(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.trace")
	w := must.Get(Create(path))(t)
	numbers := map[int]uint64{}
	k.each(func(atNs int64, rank, valueBytes int, op kvs.Op) {
		number, ok := numbers[rank]
		if !ok {
			number = uint64(len(numbers))
			numbers[rank] = number
		}
		must.Do(t, w.Write(&Record{
			AtNs: atNs, Key: number, KeyBytes: 8, ValueBytes: valueBytes, Op: op, TTL: time.Hour,
		}))
	})
	must.Get(w.Finish(Summary{Source: Source{Name: "known", Format: "test"}}))(t)
	must.Do(t, w.Close())
	return path
}
