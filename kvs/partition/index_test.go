package partition

import (
	"encoding/binary"
	"math"
	"testing"

	"dpukv/kvs"

	"github.com/go-faster/city"
)

// poissonAbove is the chance of more than n where mean are expected.
func poissonAbove(mean float64, n int) (chance float64) {
	for k := n + 1; k <= n+200; k++ {
		logFactorial, _ := math.Lgamma(float64(k + 1))
		chance += math.Exp(float64(k)*math.Log(mean) - mean - logFactorial)
	}
	return chance
}

// TestHonestChains checks that well-hashed keys fill no chain, and take no more spares than there
// are, in the largest table and in the smallest. So a store within its size is never full because
// of its index.
func TestHonestChains(t *testing.T) {
	const mostBuckets = float64(MaxPartitions) * maxItems / itemsPerBucket
	if expected := mostBuckets * poissonAbove(itemsPerBucket, itemsPerChain); expected > 1e-9 {
		t.Errorf("%.2g overflowing chains expected in the largest table", expected)
	}
	sparesPerBucket := 0.
	for n := slotsPerBucket; n <= itemsPerChain; n += slotsPerBucket {
		sparesPerBucket += poissonAbove(itemsPerBucket, n)
	}
	for buckets := 1; buckets <= maxItems; buckets *= 2 {
		spares := buckets/spareShare + slotsPerBucket
		if chance := poissonAbove(float64(buckets)*sparesPerBucket, spares); chance > 1e-12 {
			t.Errorf("%d buckets need more than %d spares: a chance of %.2g", buckets, spares, chance)
		}
	}
}

// smallest is a table of one partition with the smallest log.
func smallest(mode Mode, access Access) Config {
	return Config{Mode: mode, Access: access, Cores: 1, PerCore: 1, Items: 4, LogBytes: minLogBytes}
}

// wordKey is one of many keys, all of a word.
func wordKey(n int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

// TestCrowdedBucket checks keys with chosen hashes. They get one chain of a stated length, and the
// rest is refused. Keys in other buckets keep their room.
func TestCrowdedBucket(t *testing.T) {
	const items, hostile, hash = 30_000, 30_000, 0x1234_5678_9abc_def0
	table := newTable(t, Config{
		Mode: Store, Cores: 1, PerCore: 1, Items: items,
		LogBytes: LogBytesFor(items+hostile, 8, 8, Store, 1),
	})
	core := table.Core(0)
	stored := 0
	for i := range hostile {
		key := append(wordKey(i), 'h')
		op := []Op{{Code: kvs.Set, Key: key, Hash: hash, Value: key[:8]}}
		core.Execute(op, nil)
		if op[0].Status == kvs.OK {
			stored++
		} else if op[0].Status != kvs.Full {
			t.Fatalf("item %d of one bucket: %s", i, op[0].Status)
		}
	}
	if s := core.Stats(); stored != itemsPerChain || s.Full != uint64(hostile-stored) {
		t.Errorf("%d items of one bucket stored, %d counted as refused: want %d of %d stored",
			stored, s.Full, itemsPerChain, hostile)
	}
	p := &table.partitions[0]
	if want := uint64(stored * itemBytes(9, 8)); p.space.used != want {
		t.Errorf("%d bytes of the log are in use: want %d, as what is refused takes no room",
			p.space.used, want)
	}
	p.checkInvariants(t)
	for i := range items {
		key := wordKey(i)
		op := []Op{{Code: kvs.Set, Key: key, Hash: city.Hash64(key), Value: key}}
		core.Execute(op, nil)
		if op[0].Status != kvs.OK && p.home(op[0].Hash) != p.home(hash) {
			t.Fatalf("honest item %d: %s", i, op[0].Status)
		}
	}
}

// TestIllegalOperations checks that operations that no server lets through are refused here, too,
// and change nothing.
func TestIllegalOperations(t *testing.T) {
	table := newTable(t, smallest(Store, EREW))
	core := table.Core(0)
	key, most := []byte("k"), make([]byte, kvs.MaxValueBytes)
	first := []Op{{Code: kvs.Set, Key: key, Value: most}}
	core.Execute(first, nil)
	if first[0].Status != kvs.OK {
		t.Fatalf("the largest value: %s", first[0].Status)
	}
	long, large := make([]byte, kvs.MaxKeyBytes+1), make([]byte, kvs.MaxValueBytes+1)
	ops := []Op{
		{},
		{Code: kvs.Get},
		{Code: kvs.Set, Value: key},
		{Code: kvs.Delete + 1, Key: key},
		{Code: kvs.Op(255), Key: key},
		{Code: kvs.Get, Key: long},
		{Code: kvs.Set, Key: long},
		{Code: kvs.Add, Key: long},
		{Code: kvs.Delete, Key: long},
		{Code: kvs.Set, Key: key, Value: large}, // would fit the padding of the item that is there
		{Code: kvs.Add, Key: []byte("l"), Value: large},
	}
	for i := range ops {
		core.Execute(ops[i:i+1], make([]byte, 0, 1<<17))
		if ops[i].Status != kvs.Illegal {
			t.Errorf("operation %d, %s with a key of %d and a value of %d bytes: %s",
				i, ops[i].Code, len(ops[i].Key), len(ops[i].Value), ops[i].Status)
		}
	}
	table.partitions[0].checkInvariants(t)
	if s := core.Stats(); s.Items != 1 {
		t.Errorf("%d items", s.Items)
	}
}
