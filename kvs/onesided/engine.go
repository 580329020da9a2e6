package onesided

import (
	"unsafe"

	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// engine executes one worker's requests: in its table, and in its partition for keys that have no
// place there.
type engine struct {
	table      *table
	core       *partition.Core
	gets, hits uint64 // answered from the table
	sink       uint64 // keeps loads that only fetch
}

// Execute executes a batch in order, as [partition.Core] does.
func (e *engine) Execute(ops []partition.Op, out []byte) []byte {
	for i := range ops { // these loads do not wait for each other
		e.sink += e.table.items[e.table.home(ops[i].Hash)][stateWord]
	}
	for i := range ops {
		op := &ops[i]
		if len(op.Key) > KeyBytes {
			out = e.elsewhere(op, out)
			continue
		}
		k, home := shorten(op.Key), e.table.home(op.Hash)
		at, unused := e.table.find(home, &k)
		switch op.Code {
		case kvs.Get:
			out = e.get(op, home, at, out)
		case kvs.Set:
			e.set(op, &k, home, at, unused)
		case kvs.Add:
			e.add(op, &k, home, at, unused)
		case kvs.Delete:
			e.delete(op, home, at)
		default:
			op.Status = kvs.Illegal
		}
	}
	return out
}

// elsewhere executes an operation in the partition.
func (e *engine) elsewhere(op *partition.Op, out []byte) []byte {
	return e.core.Execute(unsafe.Slice(op, 1), out)
}

func (e *engine) get(op *partition.Op, home, at int, out []byte) []byte {
	switch {
	case at >= 0 && e.table.items[at].state().kind() != asked:
		e.gets++
		e.hits++
		value := e.table.value(&e.table.items[at])
		begin, end := len(out), len(out)+padded(len(value))
		if end > cap(out) {
			op.Status = kvs.TooLarge
			return out
		}
		out = out[:end]
		copy(out[begin:], value)
		op.Value, op.Status = out[begin:begin+len(value):begin+len(value)], kvs.OK
		return out
	case at >= 0 || e.table.flagged(home):
		return e.elsewhere(op, out)
	}
	e.gets++
	op.Status = kvs.NotFound
	return out
}

func (e *engine) set(op *partition.Op, k *shortKey, home, at, unused int) {
	if at < 0 && e.table.flagged(home) && e.core.Has(op.Hash, op.Key) {
		e.elsewhere(op, nil)
		return
	}
	e.put(op, k, home, at, unused)
}

func (e *engine) add(op *partition.Op, k *shortKey, home, at, unused int) {
	switch {
	case at >= 0 && e.table.items[at].state().kind() != asked:
		op.Status = kvs.Exists
	case at >= 0:
		e.elsewhere(op, nil)
	case e.table.flagged(home) && e.core.Has(op.Hash, op.Key):
		op.Status = kvs.Exists
	default:
		e.put(op, k, home, at, unused)
	}
}

// put stores a value in the key's place, or in a new one, or in the partition: with the key left in
// its place if it has one.
func (e *engine) put(op *partition.Op, k *shortKey, home, at, unused int) {
	known := at >= 0
	if !known {
		at = unused
	}
	wasAsked := known && e.table.items[at].state().kind() == asked
	if at >= 0 && e.table.set(at, k, op.Value) {
		if wasAsked {
			e.drop(op)
		}
		op.Status = kvs.OK
		return
	}
	if op.Code = kvs.Set; at >= 0 {
		if e.elsewhere(op, nil); op.Status == kvs.OK && !wasAsked {
			e.table.ask(at, k)
		}
		return
	}
	if e.elsewhere(op, nil); op.Status == kvs.OK {
		e.table.added(home)
	}
}

// drop removes the partition's item of a key.
func (e *engine) drop(op *partition.Op) {
	e.elsewhere(&partition.Op{Code: kvs.Delete, Hash: op.Hash, Key: op.Key}, nil)
}

func (e *engine) delete(op *partition.Op, home, at int) {
	switch {
	case at >= 0:
		op.Status = kvs.OK
		if e.table.items[at].state().kind() == asked {
			e.elsewhere(op, nil)
		}
		e.table.clear(at)
	case e.table.flagged(home):
		if e.elsewhere(op, nil); op.Status == kvs.OK {
			e.table.removed(home)
		}
	default:
		op.Status = kvs.NotFound
	}
}

// Stats returns the counters of table and partition together.
func (e *engine) Stats() partition.Stats {
	s := e.core.Stats()
	s.Gets, s.Hits = s.Gets+e.gets, s.Hits+e.hits
	s.Items += e.table.count
	return s
}
