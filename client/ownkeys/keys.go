package ownkeys

import (
	"math/bits"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
)

// keys are those of a set, each once.
type keys interface {
	// next returns a key, valid until the next call, or nil behind the last one.
	next() ([]byte, error)
	longest() int // in bytes
	close() error
}

func (s *Set) open() (keys, error) {
	if s.Trace == "" {
		w := s.workload()
		return &numbered{keys: load.NewKeys(w), n: uint64(s.Keys), most: w.MaxKeyBytes()}, nil
	}
	f, err := trace.Open(s.Trace)
	if err != nil {
		return nil, err
	}
	sum := f.Summary()
	return &recorded{
		set: s, file: f, cursor: f.Cursor(*s.Part), key: make([]byte, sum.MaxKeyBytes),
		seen: make([]uint64, sum.Keys/bits.UintSize+1),
	}, nil
}

// readable refuses sets whose trace is not there.
func readable(sets []Set) error {
	for i := range sets {
		k, err := sets[i].open()
		if err == nil {
			err = k.close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numbered are the keys of a workload.
type numbered struct {
	keys  load.Keys
	at, n uint64
	most  int
}

func (k *numbered) longest() int { return k.most }
func (k *numbered) close() error { return nil }

func (k *numbered) next() ([]byte, error) {
	if k.at == k.n {
		return nil, nil
	}
	k.at++
	return k.keys.Fill(k.at - 1), nil
}

// recorded are the keys that a trace stores or deletes.
type recorded struct {
	set    *Set
	file   *trace.File
	cursor trace.Cursor
	key    []byte
	seen   []uint64 // a bit for each key
}

func (k *recorded) longest() int { return len(k.key) }
func (k *recorded) close() error { return k.file.Close() }

func (k *recorded) next() ([]byte, error) {
	var r trace.Record
	for k.cursor.Next(&r) {
		word, bit := &k.seen[r.Key/bits.UintSize], uint64(1)<<(r.Key%bits.UintSize)
		if *word&bit > 0 || r.Op == kvs.Get && !k.set.Fills {
			continue
		}
		*word |= bit
		key := k.key[:r.KeyBytes]
		load.FillKey(key, r.Key)
		return key, nil
	}
	return nil, k.cursor.Err()
}
