package results

import "slices"

// OpLatency is the latency of one kind of operation, by what the operations were and found. In an
// open loop it counts from the intended send; that of a fill then counts from the end of its delay.
type OpLatency struct {
	// Op is "get_hit", "get_miss", "set" (or ADD, without fills), "delete" (of a trace), or "fill"
	// (a SET of a key that a GET had missed).
	Op  string `json:"op"`
	Ops uint64 `json:"ops"` // answered
	Latency
}

// kindTitles are the kinds of operations by their tags, for people, in their order.
var kindTitles = [][2]string{
	{TagGetHit, "GET hit"},
	{TagGetMiss, "GET miss"},
	{TagSet, "SET"},
	{TagDelete, "DELETE"},
	{TagFill, "fill"},
}

// KindTitles are the kinds of operations in words, by [OpLatency.Op].
func KindTitles() map[string]string {
	titles := map[string]string{}
	for _, k := range kindTitles {
		titles[k[0]] = k[1]
	}
	return titles
}

// Title is the kind in words.
func (o *OpLatency) Title() string {
	i := slices.IndexFunc(kindTitles, func(k [2]string) bool { return k[0] == o.Op })
	if i < 0 {
		return o.Op // of a newer build
	}
	return kindTitles[i][1]
}

// LatencyOfOp returns the latency of a kind of operation, which is zero if there were none.
func (p *Point) LatencyOfOp(op string) OpLatency {
	for _, of := range p.ByOp {
		if of.Op == op {
			return of
		}
	}
	return OpLatency{Op: op}
}

// ByOpOf returns the latencies of a histogram log by the kinds of operations that there were, in
// their order. Operations without an answer have no kind.
func ByOpOf(intervals []Interval) (list []OpLatency) {
	for _, k := range kindTitles {
		if of := withTag(intervals, k[0]); len(of) > 0 {
			h := NewHistogram()
			for _, iv := range of {
				h.Merge(iv.Histogram)
			}
			list = append(list, OpLatency{k[0], uint64(h.TotalCount()), LatencyOf(h)})
		}
	}
	return list
}
