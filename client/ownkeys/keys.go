package ownkeys

import (
	"math/bits"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
)

// keys are those of a set, each once.
type keys interface {
	// next returns a key; ok is false behind the last one.
	next() (k key, ok bool, err error)
	// name returns the name of a key. The next call overwrites it.
	name(k key) []byte
	// value returns a value for a key. The next call overwrites it.
	value(k key) []byte
	longest() int // in bytes
	names() uint64
	close() error
}

// key is the number of a key below the size of its name, if it has one of its own.
type key uint64

const numberBits = 40 // of a trace's key

func (k key) number() uint64 { return uint64(k) & (1<<numberBits - 1) }
func (k key) bytes() int     { return int(k >> numberBits) }

// open returns all keys of a set, or some that are spread evenly over the set. most: how many at
// most; 0: all. Of a trace, the first ones are taken.
func (s *Set) open(most uint64) (keys, error) {
	if s.Trace == "" {
		w := s.workload()
		all := uint64(s.Keys)
		k := &numbered{
			keys: load.NewKeys(w), values: load.NewValues(w), n: all, all: all,
			most: w.MaxKeyBytes(),
		}
		if most > 0 {
			k.n = min(most, all)
		}
		k.room = make([]byte, k.values.MaxBytes())
		return k, nil
	}
	f, err := trace.Open(s.Trace)
	if err != nil {
		return nil, err
	}
	sum := f.Summary()
	return &recorded{
		set: s, file: f, cursor: f.Cursor(*s.Part), key: make([]byte, sum.MaxKeyBytes),
		seen: make([]uint64, sum.Keys/bits.UintSize+1), most: most,
		room: make([]byte, sum.MaxValueBytes),
	}, nil
}

// readable refuses sets whose trace is not there.
func readable(sets []Set) error {
	for i := range sets {
		k, err := sets[i].open(0)
		if err == nil {
			err = k.close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numbered are n of the keys of a workload, spread evenly over all.
type numbered struct {
	keys       load.Keys
	values     load.Values
	room       []byte // for a value
	at, n, all uint64
	most       int
}

func (k *numbered) longest() int       { return k.most }
func (k *numbered) close() error       { return nil }
func (k *numbered) names() uint64      { return k.all }
func (k *numbered) name(of key) []byte { return k.keys.Fill(uint64(of)) }

func (k *numbered) value(of key) []byte { return k.values.Fill(k.room, uint64(of), 0) }

func (k *numbered) next() (key, bool, error) {
	if k.at == k.n {
		return 0, false, nil
	}
	high, low := bits.Mul64(k.at, k.all)
	position, _ := bits.Div64(high, low, k.n)
	k.at++
	return key(position), true, nil
}

// recorded are the keys that a trace stores or deletes.
type recorded struct {
	set    *Set
	file   *trace.File
	cursor trace.Cursor
	key    []byte
	room   []byte   // for a value
	last   int      // size of the value of the last key
	seen   []uint64 // a bit for each key
	at     uint64   // keys so far
	most   uint64   // 0: all
}

func (k *recorded) longest() int  { return len(k.key) }
func (k *recorded) names() uint64 { return k.at }
func (k *recorded) close() error  { return k.file.Close() }

func (k *recorded) name(of key) []byte {
	name := k.key[:of.bytes()]
	load.FillKey(name, of.number())
	return name
}

// value is of the size that the trace has for the last key.
func (k *recorded) value(of key) []byte {
	value := k.room[:k.last]
	load.FillValue(value, of.number(), uint32(len(value)))
	return value
}

func (k *recorded) next() (key, bool, error) {
	var r trace.Record
	for (k.most == 0 || k.at < k.most) && k.cursor.Next(&r) {
		word, bit := &k.seen[r.Key/bits.UintSize], uint64(1)<<(r.Key%bits.UintSize)
		if *word&bit > 0 || r.Op == kvs.Get && !k.set.Fills {
			continue
		}
		*word |= bit
		k.at++
		k.last = r.ValueBytes
		return key(r.Key | uint64(r.KeyBytes)<<numberBits), true, nil
	}
	return 0, false, k.cursor.Err()
}
