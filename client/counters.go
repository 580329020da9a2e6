package client

import (
	"cmp"
	"fmt"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
)

// sample holds the resources used by the server and this process up to one time.
type sample struct {
	nowNs     int64        // in the middle of the question to the server
	processNs int64        // CPU time of this process
	cpus      cpu.Occupied // those that the threads are pinned to
	energy    energy.Reading
	moved     kvs.Moved
	server    kvs.Stats
	answered  answered
}

// answered counts the client's answers before the question to the server and after it.
type answered struct{ before, after uint64 }

// distrust looks for a reason not to believe the server's counters: they fell, or they lack
// operations that this client has answers to. It takes them out of the samples then, so that no
// figure is made of them, and returns the warning.
func distrust(begin, end *sample, preload *kvs.Stats, mostInFlight uint64) string {
	if end.nowNs == 0 {
		return "" // the run ended before
	}
	why := cmp.Or(fellSince(&begin.server, preload), fellSince(&end.server, &begin.server),
		uncounted(begin, end, mostInFlight))
	if why == "" {
		return ""
	}
	begin.server.Workers, end.server.Workers = nil, nil
	begin.server.CPUNs = min(begin.server.CPUNs, end.server.CPUNs)
	return "the server's counters are not those of this load: " + why + ". The point has no " +
		"figures that need them, such as the server's CPU time"
}

func fellSince(now, was *kvs.Stats) string {
	if what := now.Fell(was); what != "" {
		return what + ", so it was restarted, or its counters were reset"
	}
	return ""
}

// uncounted says how many operations the server has not counted. It knew them at the latest when
// this client had their answers. Those in flight at the first sample may be in it.
func uncounted(begin, end *sample, mostInFlight uint64) string {
	if len(end.server.Workers) == 0 {
		return "" // it counts nothing
	}
	counted := end.server.Ops() - begin.server.Ops()
	answered := end.answered.before - min(begin.answered.after, end.answered.before)
	if counted+mostInFlight >= answered {
		return ""
	}
	return fmt.Sprintf("it counted %d operations while this client alone got %d answers; look for "+
		"counters that were reset, or that this server does not have", counted, answered)
}
