package measure

import (
	"dpukv/hashbench"
	"dpukv/hashbench/result"
)

// The loops differ only in the source of the next key. latency takes its place from the last hash:
// a call can't begin before the previous one has ended. It stores nothing, because a store would
// stall a wider load of the same bytes. throughput takes the places in turn.
//
// Each is written twice, for results in one and in two registers. A wrapper that unified them would
// cost as much as a short hash.

func latency[H uint32 | uint64](in *Input, f func([]byte) H, calls int) uint64 {
	pool, lengths, at := in.pool, in.lengths, in.at
	mask := len(lengths) - 1
	hash := uint64(0)
	for range calls {
		n := int(lengths[at&mask])
		place := int(hash%slots) * slotBytes
		hash = uint64(f(pool[place : place+n]))
		at++
	}
	in.at = at & mask
	return hash
}

func latency128(in *Input, f func([]byte) (lo, hi uint64), calls int) uint64 {
	pool, lengths, at := in.pool, in.lengths, in.at
	mask := len(lengths) - 1
	hash := uint64(0)
	for range calls {
		n := int(lengths[at&mask])
		place := int(hash%slots) * slotBytes
		lo, hi := f(pool[place : place+n])
		hash = lo ^ hi // the next call needs both
		at++
	}
	in.at = at & mask
	return hash
}

func throughput[H uint32 | uint64](in *Input, f func([]byte) H, calls int) uint64 {
	pool, lengths, at := in.pool, in.lengths, in.at
	mask := len(lengths) - 1
	sum := uint64(0)
	for range calls {
		n := int(lengths[at&mask])
		place := at % slots * slotBytes
		sum += uint64(f(pool[place : place+n]))
		at++
	}
	in.at = at & mask
	return sum
}

func throughput128(in *Input, f func([]byte) (lo, hi uint64), calls int) uint64 {
	pool, lengths, at := in.pool, in.lengths, in.at
	mask := len(lengths) - 1
	sum := uint64(0)
	for range calls {
		n := int(lengths[at&mask])
		place := at % slots * slotBytes
		lo, hi := f(pool[place : place+n])
		sum += lo ^ hi
		at++
	}
	in.at = at & mask
	return sum
}

// call calls a function so many times. Each loop has its own instance for the type of the result.
func call(m result.Mode, in *Input, f hashbench.Native, calls int) uint64 {
	switch {
	case m == result.Latency && f.H32 != nil:
		return latency(in, f.H32, calls)
	case m == result.Latency && f.H64 != nil:
		return latency(in, f.H64, calls)
	case m == result.Latency:
		return latency128(in, f.H128, calls)
	case f.H32 != nil:
		return throughput(in, f.H32, calls)
	case f.H64 != nil:
		return throughput(in, f.H64, calls)
	}
	return throughput128(in, f.H128, calls)
}
