package load

// walk goes in turn through the keys of one thread's range, and begins again at the end.
type walk struct {
	first, keys uint64 // the range
	at          uint64 // place of the last key, from first
}

// newWalk splits the keys evenly among the threads. Threads beyond the number of keys share keys.
func newWalk(keys uint64, thread, threads int) walk {
	first := share(keys, thread, threads)
	return walk{first: first, keys: max(share(keys, thread+1, threads)-first, 1)}
}

// share returns the number of keys of the threads before this one. Keys and threads are far below
// 2³²: the product does not overflow.
func share(keys uint64, thread, threads int) uint64 {
	return keys/uint64(threads)*uint64(thread) +
		keys%uint64(threads)*uint64(thread)/uint64(threads)
}

func (w *walk) step() (key uint64) {
	if w.at++; w.at == w.keys {
		w.at = 0
	}
	return w.first + w.at
}

// back returns the key that was the last one so many steps ago, less than a whole round.
func (w *walk) back(steps uint64) (key uint64) {
	if steps > w.at {
		return w.first + w.at + w.keys - steps
	}
	return w.first + w.at - steps
}
