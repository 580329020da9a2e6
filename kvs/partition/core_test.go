package partition

import (
	"bytes"
	"testing"

	"dpukv/kvs"
)

// script is a fuzzer's input, read as the choices of a test. At its end all choices are 0.
type script struct{ left []byte }

func (s *script) byte() byte {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return b
}

func (s *script) word() (w uint64) {
	for range 8 {
		w = w<<8 | uint64(s.byte())
	}
	return w
}

// fuzzKey is a key with a client's hash, which may be any.
type fuzzKey struct {
	key  []byte
	hash uint64
}

// keys are up to 64 different ones. Many of them share a hash, a bucket or a tag.
func (s *script) keys() (keys []fuzzKey) {
	base := s.word()
	for i := range 1 + s.byte()%64 {
		shape := s.byte()
		k := fuzzKey{key: append([]byte{i}, make([]byte, s.byte())...), hash: base}
		k.key = k.key[:min(len(k.key), kvs.MaxKeyBytes)]
		switch shape % 4 {
		case 1:
			k.hash = base ^ uint64(shape) // another tag
		case 2:
			k.hash = base ^ uint64(shape)<<32 // another bucket
		case 3:
			k.hash = s.word()
		}
		keys = append(keys, k)
	}
	return keys
}

// fuzzValueBytes are lengths of values: small ones, the largest, and one that is too large.
var fuzzValueBytes = []int{
	0, 1, 8, 8, 16, 100, 1000, 9000, 40_000,
	kvs.MaxValueBytes - 7, kvs.MaxValueBytes, kvs.MaxValueBytes + 1,
}

// op is any operation, legal or not.
func (s *script) op(keys []fuzzKey) Op {
	k := keys[int(s.byte())%len(keys)]
	op := Op{Code: kvs.Op(1 + s.byte()%4), Key: k.key, Hash: k.hash}
	switch choice := s.byte(); choice {
	case 250:
		op.Code = kvs.Op(s.byte())
	case 251:
		op.Key = nil
	case 252:
		op.Key = make([]byte, kvs.MaxKeyBytes+1)
	default:
		if op.Code == kvs.Set || op.Code == kvs.Add {
			op.Value = bytes.Repeat([]byte{choice}, fuzzValueBytes[int(choice)%len(fuzzValueBytes)])
		}
	}
	return op
}

// illegalOps are a batch for a script with one key: illegal codes, keys and values.
var illegalOps = []byte{0, 1, 250, 0, 0, 1, 250, 77, 0, 1, 251, 0, 1, 252, 0, 1, 10, 0, 1, 11}

// oneHash is a script that stores 64 keys with the same hash and values of many lengths.
func oneHash(table byte) []byte {
	in := append([]byte{table}, make([]byte, 8)...)
	in = append(in, 63)
	in = append(in, make([]byte, 2*64)...) // shape, further bytes of the key
	for n := range byte(64) {
		if n%16 == 0 {
			in = append(in, 15) // operations of the batch, less one
		}
		in = append(in, n, 1, n)
	}
	return in
}

// FuzzBatches feeds batches of operations, with any hashes, lengths and codes, to the owner of a
// partition. It reads everything back as the owner and as another core.
func FuzzBatches(f *testing.F) {
	tables := newTables(f, smallest(Cache, EREW))
	for n := range byte(len(tables)) {
		f.Add(oneHash(n))
		f.Add(append([]byte{n, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9}, illegalOps...))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		s := &script{input}
		table := tables[int(s.byte())%len(tables)]
		table.reset()
		keys := s.keys()
		m := &model{values: map[string][]byte{}}
		owner, out := table.Core(0), make([]byte, 0, 1<<21)
		for len(s.left) > 0 {
			ops := make([]Op, 0, 100)
			for range 1 + s.byte()%100 {
				ops = append(ops, s.op(keys))
			}
			owner.Execute(ops, out)
			for i := range ops {
				m.checkAny(t, table.cfg.Mode, &ops[i])
			}
			table.partitions[0].checkInvariants(t)
		}
		m.readBack(t, table, keys)
	})
}

// checkAny is check for operations that need not be legal.
func (m *model) checkAny(t *testing.T, mode Mode, op *Op) {
	legal := op.Code >= kvs.Get && op.Code <= kvs.Delete &&
		len(op.Key) >= 1 && len(op.Key) <= 255 && len(op.Value) < 1<<16
	if legal == (op.Status == kvs.Illegal) {
		t.Fatalf("%s with a key of %d and a value of %d bytes: %s",
			op.Code, len(op.Key), len(op.Value), op.Status)
	}
	if legal && op.Status != kvs.TooLarge { // of the answers together
		m.check(t, mode, op)
	}
}

// readBack asks the owner and another core for every key. They must agree with each other and with
// the model.
func (m *model) readBack(t *testing.T, table *Table, keys []fuzzKey) {
	owner, reader, out := table.Core(0), table.Core(1), make([]byte, 0, 1<<17)
	for _, k := range keys {
		one := []Op{{Code: kvs.Get, Key: k.key, Hash: k.hash}}
		owner.Execute(one, out)
		m.check(t, table.cfg.Mode, &one[0])
		other := []Op{{Code: kvs.Get, Key: k.key, Hash: k.hash}}
		reader.Execute(other, make([]byte, 0, 1<<17))
		if table.cfg.Access == EREW {
			one[0].Status, one[0].Value = kvs.WrongWorker, nil
		}
		if one[0].Status != other[0].Status || !bytes.Equal(one[0].Value, other[0].Value) {
			t.Fatalf("the owner answers %s with %d bytes, another core %s with %d",
				one[0].Status, len(one[0].Value), other[0].Status, len(other[0].Value))
		}
	}
}
