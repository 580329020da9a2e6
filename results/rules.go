package results

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dpukv/kvs"
)

// rule makes one value of a field that has a value in each client's point.
type rule func(points []*Point, of func(*Point) any) (any, error)

// fieldRule is the rule of some fields.
type fieldRule struct {
	rule   rule
	fields string
}

// rules say of each field of a [Point], or of all of a group's, what becomes of it where several
// clients ran at once. Those of metrics stand in their rows.
var rules = []fieldRule{
	{typed(sum[uint64]), `Ops Gets Hits Misses Errors Timeouts Retries LateOps UnsentOps
		Fills TTLOps Reconnects ComparedGets VersionBytes UnansweredOps
		SizelessMisses`},
	{typed(sum[int]), "Requests ClientHashSamples"},
	{typed(sum[float64]), "RateOps"},
	{typed(sumMoved), "ClientMoved ClientMovedLoad ClientMovedWindow"},

	{meanBy(hits), "HitValueBytes"},
	{meanBy(reconnects), "ReconnectMeanNs"},
	{meanBy(frames), "OpsPerFrame BytesPerFrame"},
	{meanBy(writes), "FramesPerWrite"},
	{meanBy(ops), "ComputeCPUNsPerOp ComputeMeanNs"},
	{meanBy(clientNs), "ClientHashShareCheck"},
	{typed(MeanOverlap), "Overlap"},

	// of the server, which each client asked
	{meanBy(alike), `ServerCPUShare ServerOthersShare ServerStolenShare
		ServerInterruptShare`},
	{typed(bestSeen), "ServerWorkers"},
	{typed(slices.Max[[]uint64]), "Evicted"}, // since each client's first look

	// the worst: a mean would hide a single disturbed client
	{typed(slices.Max[[]float64]), "ClientOthersShare ClientStolenShare ClientInterruptShare"},
	{typed(slices.Max[[]int64]), "DurationNs CoolDownNs"},
	{typed(slices.Min[[]float64]), "PreloadHitRate"},
	{typed(largestLag), "ClientLag"},

	{typed(words(", ")), "Provider RequestCheck"},
	{typed(words("; ")), "ClientHashShareBy TLS"},
	{typed(either), "Emulated"},

	{meanItems, "Items"},

	// The clocks differ. The histogram log has the first one's times, too.
	{first, "StartedAt"},

	// asked of all clients, or told by one server
	{same, fieldsOf[kvs.Setup]()},
	{same, `Schema Status Store ServerThreads ClientThreads
		Mix Trace TraceSpeed TraceSample TraceRange TraceFile FollowedKeys GetRatio SetAfter Dist Keys KeyBytes KeySizes KeyPrefix ValueBytes ValueSizes ValueSizeBy TTL
		Seed Batch Window Connections Arrivals ReconnectEvery OnMiss FillDelay Compute ClientWait Hash Warmup
		Transport ClusterNodes Protocol Pages ServerCPUs ServerVersion ServerAddr
		Lanes ProxyLanes`},

	// known to the orchestrator alone, or only after the clients
	{same, `ID Error Measure Settings Placement Submode Filter RateShare Neighbour Build Repeat
		Attached ServerCommand EmulatedTestbed Path Machines Probed ClientVersion Builds
		NeighbourNode NeighbourCPUs ServerMovedLoad ServerHostCPUNsPerOp ServerDPUCPUNsPerOp
		ClientHostCPUNsPerOp ClientDPUCPUNsPerOp NeighbourWork HlogBytes HlogCRC32C Chain`},
}

// apart are the fields that need several others, the machines or the histograms: [Combine] computes
// them. ThroughputOps has a rule too, and is among them for clients that do a number of requests.
const apart = `Latency LatencyDetail HitRateInterval InFlightMean InFlightShare
	ServerEnergyUJPerOp ServerEnergyBy ClientEnergyUJPerOp ClientEnergyBy
	ClientCPUShare ClientBusyShare ClientCPUs Parts Clients Warnings`

// fieldsOf are the fields of a struct.
func fieldsOf[S any]() string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[S]()) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// typed is a rule for fields of one type.
func typed[T any](combine func([]T) T) rule {
	return func(points []*Point, of func(*Point) any) (any, error) {
		values := make([]T, len(points))
		for i, p := range points {
			values[i] = of(p).(T)
		}
		return combine(values), nil
	}
}

// meanBy is the mean, weighted.
func meanBy(weight func(*Point) float64) rule {
	return func(points []*Point, of func(*Point) any) (any, error) {
		return mean(points, func(p *Point) float64 { return of(p).(float64) }, weight), nil
	}
}

// known is a rule for a figure that is 0 where it is not known.
func known(r rule) rule {
	return func(points []*Point, of func(*Point) any) (any, error) {
		for _, p := range points {
			if of(p).(float64) == 0 {
				return 0.0, nil
			}
		}
		return r(points, of)
	}
}

// first is the value of the first client.
func first(points []*Point, of func(*Point) any) (any, error) { return of(points[0]), nil }

// same is the value of all clients. If they differ, it comes with an error.
func same(points []*Point, of func(*Point) any) (any, error) {
	value := of(points[0])
	for _, p := range points[1:] {
		if other := of(p); !reflect.DeepEqual(other, value) {
			return value, fmt.Errorf("%v and %v", value, other)
		}
	}
	return value, nil
}

// These are weights of a client's value.
func alike(*Point) float64        { return 1 }
func ops(p *Point) float64        { return float64(p.Ops) }
func hits(p *Point) float64       { return float64(p.Hits) }
func reconnects(p *Point) float64 { return float64(p.Reconnects) }
func clientNs(p *Point) float64   { return p.ClientCPUNsPerOp * float64(p.Ops) }
func frames(p *Point) float64     { return ratio(float64(p.Ops), p.OpsPerFrame) }
func writes(p *Point) float64     { return ratio(frames(p), p.FramesPerWrite) }

// ratio is 0 where it is not known.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// mean is the weighted mean over the points. It is 0 if nothing has a weight.
func mean(points []*Point, value, weight func(*Point) float64) float64 {
	var sum, all float64
	for _, p := range points {
		sum, all = sum+value(p)*weight(p), all+weight(p)
	}
	return ratio(sum, all)
}

func sum[N int | uint64 | float64](all []N) (n N) {
	for _, v := range all {
		n += v
	}
	return n
}

func sumMoved(all []Moved) (m Moved) {
	for i := range all {
		m.Add(&all[i])
	}
	return m
}

func largestLag(all []Lag) (most Lag) {
	for _, l := range all {
		most = most.Max(l)
	}
	return most
}

func either(all []bool) bool { return slices.Contains(all, true) }

// words joins different words, each once.
func words(between string) func([]string) string {
	return func(all []string) string {
		var said []string
		for _, word := range all {
			if word != "" && !slices.Contains(said, word) {
				said = append(said, word)
			}
		}
		return strings.Join(said, between)
	}
}

// bestSeen returns the workers as the client saw them that knows their threads, and of several
// clients the one that saw them do the most: its samples are the furthest apart.
func bestSeen(all [][]ServerWorker) []ServerWorker {
	if slices.ContainsFunc(all, func(one []ServerWorker) bool { return len(one) == 0 }) {
		return nil // a client does not believe the counters
	}
	return slices.MaxFunc(all, func(a, b []ServerWorker) int {
		return cmp.Or(cmp.Compare(threadsSeen(a), threadsSeen(b)), cmp.Compare(opsOf(a), opsOf(b)))
	})
}

// threadsSeen counts workers of which more than the mean of their threads is known.
func threadsSeen(workers []ServerWorker) (n int) {
	for i := range workers {
		if workers[i].CPUShareBy != ByMeanOfThreads {
			n++
		}
	}
	return n
}

func opsOf(workers []ServerWorker) (n uint64) {
	for i := range workers {
		n += workers[i].Ops
	}
	return n
}

// meanItems is the mean over the clients, by their GETs.
func meanItems(points []*Point, _ func(*Point) any) (any, error) {
	first := points[0].Items
	if first == nil {
		return first, nil
	}
	m := *first
	for _, to := range []func(*Items) *float64{
		func(i *Items) *float64 { return &i.ReadShare },
		func(i *Items) *float64 { return &i.ReadsPerGet },
		func(i *Items) *float64 { return &i.BytesPerGet },
		func(i *Items) *float64 { return &i.RetriesPerGet },
		func(i *Items) *float64 { return &i.CheckNsPerRead },
		func(i *Items) *float64 { return &i.ServerWorkNsPerOp },
	} {
		*to(&m) = mean(points, func(p *Point) float64 {
			if p.Items == nil {
				return 0
			}
			return *to(p.Items)
		}, func(p *Point) float64 { return float64(p.Gets) })
	}
	return &m, nil
}
