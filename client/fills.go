package client

// fills are the keys that a thread's GETs missed and that it will store, in the order of the
// misses. They are no operations of the load: they have their own count and latencies.
type fills struct {
	on      bool
	delayNs int64
	queue   []fill // a ring, of which n are in use from first on
	first   int
	n       int
	pending bool // the thread's request is a fill, and waits for room

	answered uint64 // in the measurement period
	dropped  uint64 // in the whole load: too many others waited
}

// mostFills bounds the fills of a thread that wait: 16 MiB of memory.
const mostFills = 1 << 20

type fill struct {
	key   uint64
	dueNs int64
}

// push queues the fill of a key that a GET missed, as an answer said at missedNs. It drops a fill
// that finds too many others waiting.
func (f *fills) push(key uint64, missedNs int64) {
	if f.n == mostFills {
		f.dropped++
		return
	}
	if f.n == len(f.queue) {
		grown := make([]fill, max(2*f.n, 1024))
		for i := range f.n {
			grown[i] = f.queue[(f.first+i)%f.n]
		}
		f.queue, f.first = grown, 0
	}
	f.queue[(f.first+f.n)%len(f.queue)] = fill{key, missedNs + f.delayNs}
	f.n++
}

// dueNs is the time at which the next fill is due.
func (f *fills) dueNs() int64 {
	if f.n == 0 {
		return neverNs
	}
	return f.queue[f.first].dueNs
}

func (f *fills) pop() fill {
	next := f.queue[f.first]
	f.first = (f.first + 1) % len(f.queue)
	f.n--
	return next
}
