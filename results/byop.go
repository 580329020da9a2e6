package results

// OpLatency is the latency of one kind of operation.
type OpLatency struct {
	Ops uint64 `json:"ops"` // answered
	Latency
}

// ByOp has the latencies by what operations were and found. In an open loop they count from the
// intended send. Operations without an answer have no kind.
type ByOp struct {
	GetHit  OpLatency `json:"get_hit,omitzero"`  // GETs that found their key
	GetMiss OpLatency `json:"get_miss,omitzero"` // GETs that did not find it
	Set     OpLatency `json:"set,omitzero"`      // SETs and ADDs, without fills
	Delete  OpLatency `json:"delete,omitzero"`   // DELETEs, of a trace
	// Fill is the latency of SETs of keys that a GET had missed: in an open loop from the end of
	// the fill's delay, else from the actual send.
	Fill OpLatency `json:"fill,omitzero"`
}

// kinds are the kinds of operations, with their tags and titles.
func (o *ByOp) kinds() []KindLatency {
	return []KindLatency{
		{TagGetHit, "GET hit", &o.GetHit},
		{TagGetMiss, "GET miss", &o.GetMiss},
		{TagSet, "SET", &o.Set},
		{TagDelete, "DELETE", &o.Delete},
		{TagFill, "fill", &o.Fill},
	}
}

// KindLatency is the latency of a kind of operation, with its title.
type KindLatency struct {
	tag   string
	Title string // for people
	*OpLatency
}

// List returns the kinds that there were, in their order.
func (o *ByOp) List() (list []KindLatency) {
	for _, k := range o.kinds() {
		if k.Ops > 0 {
			list = append(list, k)
		}
	}
	return list
}

// ByOpOf returns the latencies of a histogram log by the kinds of operations.
func ByOpOf(intervals []Interval) (o ByOp) {
	for _, k := range o.kinds() {
		if of := withTag(intervals, k.tag); len(of) > 0 {
			h := NewHistogram()
			for _, iv := range of {
				h.Merge(iv.Histogram)
			}
			*k.OpLatency = OpLatency{uint64(h.TotalCount()), LatencyOf(h)}
		}
	}
	return o
}
