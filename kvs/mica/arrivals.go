package mica

// arrivals tells when the bytes of a connection's input were read. A batch counts as here from the
// read that brought its last byte, also if it then waits for a later turn.
type arrivals struct {
	marks    [8]arrival // marks[:n] belong to input without an answer
	n        int
	read     uint64 // bytes so far
	answered uint64 // bytes of answered frames
}

// arrival is the time of the read that brought the bytes up to a position.
type arrival struct {
	to uint64
	ns int64
}

// came records a read. With all marks in use, the bytes count as read with the previous ones.
func (a *arrivals) came(bytes int, nowNs int64) {
	a.read += uint64(bytes)
	if a.n == len(a.marks) {
		a.marks[a.n-1].to = a.read
		return
	}
	a.marks[a.n] = arrival{a.read, nowNs}
	a.n++
}

// next takes the next frame out of the input. It returns the time when its last byte was read.
func (a *arrivals) next(bytes int) int64 {
	a.answered += uint64(bytes)
	past := 0
	for a.marks[past].to < a.answered {
		past++
	}
	ns := a.marks[past].ns
	if a.marks[past].to == a.answered {
		past++
	}
	if past > 0 {
		a.n = copy(a.marks[:], a.marks[past:a.n])
	}
	return ns
}

// unwritten sums up the batches of a turn whose answers are not written yet. All sums wrap, and
// their differences are right.
type unwritten struct {
	ops      uint64
	cameOpNs uint64 // sum of the times when they came, each times the operations
}

func (u *unwritten) add(ops int, cameNs int64) {
	u.ops += uint64(ops)
	u.cameOpNs += uint64(ops) * uint64(cameNs)
}

// written returns the time from the read to now, summed over the operations, and starts anew.
func (u *unwritten) written(nowNs int64) uint64 {
	sum := u.ops*uint64(nowNs) - u.cameOpNs
	*u = unwritten{}
	return sum
}
