package results

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
)

// clientOf returns what a client tells that measured these latencies in a second. Its clock is off
// by clock.
func clientOf(t *testing.T, name string, cpus []int, clock time.Duration, latencies ...int64) Client {
	t.Helper()
	h := NewHistogram()
	for _, l := range latencies {
		Record(h, l)
	}
	n := uint64(len(latencies))
	moved := Moved{Sockets: Packets{Sources: 1, SentBytes: n}}
	p := &Point{
		Identity: Identity{Schema: SchemaVersion, Status: StatusOK},
		Asked: Asked{
			Store: "mica",
			Load:  load.Load{Batch: 64, Window: 1, Connections: 1, Hash: "city64"},
		},
		Used: Used{
			ClientCPUs: cpus, PreloadHitRate: 1, OpsPerFrame: 64, BytesPerFrame: 1000,
			FramesPerWrite: float64(n),
		},
		Counted: Counted{
			StartedAt: time.Unix(1e9, 0).Add(clock), DurationNs: 1e9, Ops: n, Gets: n,
			Hits: n, ThroughputOps: float64(n),
		},
		LatencyDetail: LatencyDetail{Actual: LatencyOf(h)},
		Traffic: Traffic{
			ClientMoved: moved, ClientMovedLoad: moved, ClientMovedWindow: moved,
		},
		Cost:     Cost{ClientCPUShare: 0.5, ClientBusyShare: 0.5, ClientCPUNsPerOp: 100},
		Latency:  LatencyOf(h),
		Warnings: ReadWarnings("a warning"),
	}
	c := Client{Node: Node{Node: name, Kind: "host"}, Kernel: "k", Point: p}
	c.logs(t,
		Interval{Tag: TagIntended, Start: p.StartedAt, End: p.StartedAt.Add(time.Second), Histogram: h},
		Interval{Tag: TagActual, Start: p.StartedAt, End: p.StartedAt.Add(time.Second), Histogram: h})
	return c
}

func (c *Client) logs(t *testing.T, intervals ...Interval) {
	t.Helper()
	c.Hlog = must.Get(EncodeHlog(intervals))(t)
}

func mustCombine(t *testing.T, clients []Client) *Point {
	t.Helper()
	p, _, err := Combine(clients)
	must.Do(t, err)
	return p
}

// TestCombineAddsUp: two clients on one CPU, whose clocks are an hour apart.
func TestCombineAddsUp(t *testing.T) {
	clients := []Client{
		clientOf(t, "hostA", []int{1}, 0, 1000, 2000, 3000), clientOf(t, "dpuA", []int{1}, time.Hour, 9000),
	}
	p, hlog, err := Combine(clients)
	must.Do(t, err)
	if p.LatencyInterval != (LatencyInterval{}) {
		t.Errorf("one interval of the log gives %+v", p.LatencyInterval)
	}
	if p.Ops != 4 || p.Gets != 4 || p.ThroughputOps != 4 || p.PreloadHitRate != 1 || p.OpsPerFrame != 64 {
		t.Errorf("sums are wrong: %+v", p)
	}
	if p.FramesPerWrite != 2 { // 3/64 frames in a third as many writes, and 1/64 in as many
		t.Errorf("%v frames a write, want 2", p.FramesPerWrite)
	}
	if p.MaxNs < 9000 || p.MaxNs > 9010 || p.P50Ns > 2010 || math.Abs(p.MeanNs-3750) > 5 {
		t.Errorf("latencies are not those of all: %+v", p.Latency)
	}
	if len(p.Clients) != 2 || p.Clients[0].Node.Node != "hostA" || p.Clients[1].Ops != 1 || p.Clients[0].Ops != 3 {
		t.Errorf("shares: %+v", p.Clients)
	}
	if p.ClientCPUShare != 1 || p.ClientCPUNsPerOp != 100 || !slices.Equal(p.ClientCPUs, []int{1}) {
		t.Errorf("two clients busy half the time of one CPU: a share of %v on %v, %v ns an operation",
			p.ClientCPUShare, p.ClientCPUs, p.ClientCPUNsPerOp)
	}
	want := Moved{Sockets: Packets{Sources: 2, SentBytes: 4}}
	for span, got := range map[string]Moved{
		"whole": p.ClientMoved, "load": p.ClientMovedLoad, "window": p.ClientMovedWindow,
	} {
		if got != want {
			t.Errorf("the %s moved %+v, want %+v", span, got, want)
		}
	}
	if own := p.Clients[1]; own.Moved.Sockets.SentBytes != 1 || own.MovedLoad.Sockets.SentBytes != 1 {
		t.Errorf("the second client's own: %+v", own)
	}
	intervals := must.Get(DecodeHlog(hlog))(t)
	if h, err := MergeTag(intervals, TagIntended); err != nil || h.TotalCount() != 4 || len(intervals) != 2 {
		t.Errorf("%d intervals with %d operations, %v", len(intervals), h.TotalCount(), err)
	}
	text := p.Warnings.String()
	must.Contain(t, text,
		"client-bound: the threads of the clients hostA and dpuA were together busy for 100 %", "hostA: a warning",
		"dpuA: a warning",
	)
}

// TestCombineHasIntervals: the percentiles of two clients have intervals, from the log of both.
func TestCombineHasIntervals(t *testing.T) {
	var clients []Client
	for _, name := range []string{"hostA", "dpuA"} {
		c := clientOf(t, name, []int{1}, 0, 1000)
		var intervals []Interval
		for i := range 12 {
			h := NewHistogram()
			Record(h, int64(1000+100*(i*5%12)))
			start := c.Point.StartedAt.Add(time.Duration(i) * time.Second)
			intervals = append(intervals, Interval{
				Tag: TagActual, Start: start, End: start.Add(time.Second), Histogram: h,
			})
		}
		c.logs(t, intervals...)
		clients = append(clients, c)
	}
	p := mustCombine(t, clients)
	i := p.ActualInterval
	if i.P50LoNs < 1000 || i.P50LoNs >= p.Actual.P50Ns || i.P50HiNs <= p.Actual.P50Ns {
		t.Errorf("the median %d has the interval %+v", p.Actual.P50Ns, i)
	}
}

// TestCombineParts: the applications' CPU time is that of all operations, and the server's is what
// the clients told of it.
func TestCombineParts(t *testing.T) {
	clients := []Client{
		clientOf(t, "hostA", []int{0}, 0, 1000, 2000, 3000), clientOf(t, "dpuA", []int{1}, 0, 9000),
	}
	for i, server := range []float64{60, 80} {
		p := clients[i].Point
		p.ClientCPUNsPerOp, p.ServerCPUNsPerOp = float64(100+200*i), server
		p.Parts = []Part{
			{Part: kvs.PartApplication, CPUNsPerOp: p.ClientCPUNsPerOp},
			{Part: kvs.PartEngine, CPUNsPerOp: server - 20, SpunNsPerOp: float64(2 * i)},
			{Part: kvs.PartStore, CPUNsPerOp: 20, SpunNsPerOp: float64(4 + 2*i)},
		}
	}
	p := mustCombine(t, clients)
	want := []Part{
		{Part: kvs.PartApplication, CPUNsPerOp: 150},
		{Part: kvs.PartEngine, CPUNsPerOp: 50}, // the first knows no polling
		{Part: kvs.PartStore, CPUNsPerOp: 20, SpunNsPerOp: 5},
	}
	if !slices.Equal(p.Parts, want) {
		t.Errorf("found %+v, want %+v", p.Parts, want)
	}
	if p.ClientCPUNsPerOp != 150 || p.ServerCPUNsPerOp != 70 || clients[0].Point.Parts[0].CPUNsPerOp != 100 {
		t.Errorf("client %v, server %v, and the first client's own %+v", p.ClientCPUNsPerOp, p.ServerCPUNsPerOp,
			clients[0].Point.Parts)
	}
}

// TestCombineWarnings: where one client does not believe the server's counters, the point has no figure
// that needs them.
func TestCombineWarnings(t *testing.T) {
	clients := []Client{clientOf(t, "a", []int{0}, 0, 1000), clientOf(t, "b", []int{1}, 0, 1000)}
	p := clients[0].Point
	p.ServerCPUNsPerOp, p.ServerWorkers = 60, []ServerWorker{{Ops: 7}}
	p.Parts = []Part{{Part: kvs.PartServer, CPUNsPerOp: 60}}
	if p := mustCombine(t, clients); p.ServerCPUNsPerOp != 0 || p.ServerWorkers != nil || p.Parts != nil {
		t.Errorf("found %v ns, %+v, %+v", p.ServerCPUNsPerOp, p.ServerWorkers, p.Parts)
	}
}

// TestCombineRequests: clients do their requests in different times. The point has the longest, and
// all requests.
func TestCombineRequests(t *testing.T) {
	var clients []Client
	for i, name := range []string{"hostA", "dpuA"} {
		c := clientOf(t, name, []int{1}, 0, 1000, 2000)
		p := c.Point
		p.Requests, p.DurationNs = 2, int64(i+1)*1e9
		p.ThroughputOps = 2 / float64(i+1)
		p.Reconnects, p.ReconnectMeanNs = uint64(1+2*i), float64(100*(i+1))
		p.ComputeMeanNs, p.ComputeCPUNsPerOp = float64(1000*(i+1)), float64(10*(i+1))
		p.Overlap = Overlap{Percent: float64(50 * i), CommNs: 200, ComputeNs: 210, OverallNs: float64(400 - 100*i)}
		clients = append(clients, c)
	}
	p := mustCombine(t, clients)
	if p.Requests != 4 || p.Ops != 4 || p.DurationNs != 2e9 || p.ThroughputOps != 2 {
		t.Errorf("found %d requests, %d operations in %d ns, %v a second", p.Requests, p.Ops, p.DurationNs,
			p.ThroughputOps)
	}
	if p.Reconnects != 4 || p.ReconnectMeanNs != 175 {
		t.Errorf("found %d reconnects of %v ns", p.Reconnects, p.ReconnectMeanNs)
	}
	want := Overlap{Percent: 25, CommNs: 200, ComputeNs: 210, OverallNs: 350}
	if p.ComputeMeanNs != 1500 || p.ComputeCPUNsPerOp != 15 || p.Overlap != want {
		t.Errorf("found computes of %v ns, %v ns an operation, overlap %+v", p.ComputeMeanNs,
			p.ComputeCPUNsPerOp, p.Overlap)
	}
}

// TestCombineKeepsLowerBounds: operations that one client never sent make the percentiles lower
// bounds, and the lag is that of the worse client.
func TestCombineKeepsLowerBounds(t *testing.T) {
	clients := []Client{
		clientOf(t, "hostA", []int{0}, 0, 1000, 2000, 3000), clientOf(t, "dpuA", []int{1}, time.Hour, 4000, 5000),
	}
	late := &clients[1]
	intervals := must.Get(DecodeHlog(late.Hlog))(t)
	unsent, start := NewHistogram(), late.Point.StartedAt
	Record(unsent, 4500)
	Record(intervals[0].Histogram, 4500) // the intended one
	late.logs(t, append(intervals,
		Interval{Tag: TagUnsent, Start: start, End: start.Add(time.Second), Histogram: unsent})...)
	clients[0].Point.ClientLag = Lag{P50Ns: 3, P99Ns: 5, P999Ns: 6, MaxNs: 7}
	late.Point.ClientLag = Lag{P50Ns: 1, P99Ns: 9, P999Ns: 9, MaxNs: 9}
	p := mustCombine(t, clients)
	if p.LatencyLowerBoundFrom != 95 {
		t.Errorf("lower bounds from %v, want 95", p.LatencyLowerBoundFrom)
	}
	if want := (Lag{P50Ns: 3, P99Ns: 9, P999Ns: 9, MaxNs: 9}); p.ClientLag != want {
		t.Errorf("lag %+v, want %+v", p.ClientLag, want)
	}
}

// TestCombineStages: the stages split the latency of all clients, weighted like it.
func TestCombineStages(t *testing.T) {
	clients := []Client{
		clientOf(t, "hostA", []int{0}, 0, 1000, 2000, 3000), clientOf(t, "hostB", []int{1}, 0, 9000),
	}
	for i, ns := range [][2]float64{{100, 400}, {500, 600}} {
		clients[i].Point.Stages = StagesOf(clients[i].Point, ns[0], ns[1])
	}
	p := mustCombine(t, clients)
	want := Stages{ClientQueueNs: 200, ServerResidenceNs: 500, RestNs: p.Actual.MeanNs - 700}
	if p.Stages != want {
		t.Errorf("found %+v, want %+v", p.Stages, want)
	}
	clients[1].Point.Stages = Stages{}
	if p := mustCombine(t, clients); p.Stages != (Stages{}) {
		t.Errorf("found %+v, though one client has none", p.Stages)
	}
}

// TestCombineEnergy: each machine's energy counts once, and a part gives no sum.
func TestCombineEnergy(t *testing.T) {
	clients := []Client{
		clientOf(t, "a", []int{0}, 0, 1, 1, 1), clientOf(t, "b", []int{1}, 0, 1), clientOf(t, "c", []int{0}, 0, 1, 1),
	}
	clients[2].Kernel = "another"
	for i, uj := range []float64{4, 12, 9} { // 12 µJ of one machine, as both clients saw it, and 18 of the other
		p := clients[i].Point
		p.ClientEnergyUJPerOp, p.ClientEnergyBy = uj, "rapl: package-0"
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = 7, "rapl: package-1"
	}
	if p := mustCombine(t, clients); p.ClientEnergyUJPerOp != 5 || p.ClientEnergyBy != "rapl: package-0" ||
		p.ServerEnergyUJPerOp != 7 || p.ServerEnergyBy != "rapl: package-1" {
		t.Errorf("clients: %v µJ by %q, server: %v by %q; want 5 and 7", p.ClientEnergyUJPerOp, p.ClientEnergyBy,
			p.ServerEnergyUJPerOp, p.ServerEnergyBy)
	}
	clients[1].Point.ClientEnergyUJPerOp = 0
	if p := mustCombine(t, clients); p.ClientEnergyUJPerOp != 0 || p.ClientEnergyBy != "" {
		t.Errorf("one client knows nothing: found %v by %q", p.ClientEnergyUJPerOp, p.ClientEnergyBy)
	}
}

func TestCombineRefusesADamagedLog(t *testing.T) {
	clients := []Client{clientOf(t, "a", nil, 0, 1), clientOf(t, "b", nil, 0, 1)}
	clients[0].Hlog = []byte("1,2,3\n")
	_, _, err := Combine(clients)
	must.Fail(t, err, "node a: histogram log")
}

// TestCombineSpinningIsNotBusy: clients that share a CPU and poll for answers all the time leave
// room on it, though it is never idle.
func TestCombineSpinningIsNotBusy(t *testing.T) {
	clients := []Client{clientOf(t, "a", []int{1}, 0, 1), clientOf(t, "b", []int{1}, 0, 1)}
	for i := range clients {
		clients[i].Point.ClientBusyShare = 0.2
	}
	if text := mustCombine(t, clients).Warnings.String(); strings.Contains(text, "client-bound") {
		t.Errorf("busy for 40 %% of the time: %s", text)
	}
}

// TestCombineInFlight: the windows of all clients hold what the clients had in flight together. It is
// throughput × mean latency of the point, also for clients that do their requests in different times.
func TestCombineInFlight(t *testing.T) {
	clients := []Client{
		clientOf(t, "a", []int{0}, 0, 1000, 2000, 3000), clientOf(t, "b", []int{1}, 0, 4000, 5000),
	}
	for i := range clients {
		p := clients[i].Point
		p.UnansweredOps, p.InFlightMean = uint64(1+i), p.LittlesLaw()
		p.InFlightShare = p.InFlightMean / 1e-5 // of windows of a hundred-thousandth of an operation
	}
	p := mustCombine(t, clients)
	if want := 1.5e-5; p.UnansweredOps != 3 || math.Abs(p.InFlightMean-want) > want/1000 ||
		p.InFlightMean != p.LittlesLaw() || math.Abs(p.InFlightShare-0.75) > 0.001 {
		t.Errorf("%d unanswered, %v in flight, a share of %v", p.UnansweredOps, p.InFlightMean, p.InFlightShare)
	}
	clients[1].Point.Requests, clients[1].Point.DurationNs = 2, 2e9
	clients[0].Point.Requests = 3
	if p := mustCombine(t, clients); p.InFlightMean != p.LittlesLaw() || math.Abs(p.InFlightShare-0.375) > 0.001 {
		t.Errorf("of different times: %v in flight, a share of %v", p.InFlightMean, p.InFlightShare)
	}
	clients[1].Point.InFlightMean, clients[1].Point.InFlightShare = 0, 0 // an open loop
	if p := mustCombine(t, clients); p.InFlightMean != 0 || p.InFlightShare != 0 {
		t.Errorf("one client tells nothing: found %v in flight, a share of %v", p.InFlightMean, p.InFlightShare)
	}
}

// TestCombineManyClients: of five clients, two share a CPU that they fill. The warning names these
// two, though all CPUs together have room.
func TestCombineManyClients(t *testing.T) {
	var clients []Client
	for i, name := range []string{"c1", "c2", "c3", "c4", "c5"} {
		c := clientOf(t, name, []int{min(i, 3)}, 0, int64(1000*(i+1)))
		c.Point.ClientBusyShare = []float64{0.3, 0.3, 0.3, 0.46, 0.48}[i]
		c.Point.ClientLag = Lag{P99Ns: int64(i + 1)}
		clients = append(clients, c)
	}
	p := mustCombine(t, clients)
	for i, want := range []float64{0.3, 0.3, 0.3, 0.94, 0.94} {
		if c := p.Clients[i]; math.Abs(c.BusyShare-want) > 1e-9 || c.Lag.P99Ns != int64(i+1) {
			t.Errorf("%s was busy for %v, with the lag %+v, want %v", c.Node.Node, c.BusyShare, c.Lag, want)
		}
	}
	const want = "client-bound: the threads of the clients c4 and c5 were together busy for 94 % of the time"
	if !strings.HasPrefix(p.Warnings.String(), want) || p.ClientBusyShare > BusyShare || p.Ops != 5 || p.MaxNs < 5000 {
		t.Errorf("found %q, all were busy for %v, %d operations up to %d ns", p.Warnings, p.ClientBusyShare, p.Ops,
			p.MaxNs)
	}
	clients[4].Kernel = "another" // then it is a CPU of its own
	if p := mustCombine(t, clients); p.Warnings.Has(ClientBound) || p.Clients[4].BusyShare != 0.48 {
		t.Errorf("on two machines: %q, %+v", p.Warnings, p.Clients[4])
	}
}

// TestCombineWithoutEachOther: a client on the CPU of another one is no other program to it. What
// else disturbs it stays.
func TestCombineWithoutEachOther(t *testing.T) {
	const text = "disturbed: other programs used 55 % of the time of the client's CPUs (limit: 10 %). End them"
	const server = "disturbed: other programs used 40 % of the time of the server's CPUs (limit: 10 %). End them"
	for _, c := range []struct {
		others float64
		stays  int
	}{{0.55, 2}, {0.75, 4}} {
		var clients []Client
		for _, name := range []string{"a", "b"} {
			of := clientOf(t, name, []int{1}, 0, 1000)
			of.Point.ClientOthersShare, of.Point.Warnings = c.others, ReadWarnings(text, server)
			clients = append(clients, of)
		}
		p := mustCombine(t, clients)
		disturbed := 0
		for _, w := range p.Warnings {
			if w.Kind == Disturbed {
				disturbed++
			}
		}
		if math.Abs(p.ClientOthersShare-(c.others-0.5)) > 1e-9 || disturbed != c.stays {
			t.Errorf("others used %v, %q", p.ClientOthersShare, p.Warnings)
		}
		if len(clients[0].Point.Warnings) != 2 || clients[0].Point.ClientOthersShare != c.others {
			t.Error("a client's own point changed")
		}
	}
}

// TestCombineRefusesOtherTraces: parts of different files are no replay.
func TestCombineRefusesOtherTraces(t *testing.T) {
	a, b := clientOf(t, "hostA", []int{1}, 0, 1000), clientOf(t, "hostB", []int{1}, 0, 1000)
	a.Point.TraceFile.SHA256, b.Point.TraceFile.SHA256 = "11", "22"
	_, _, err := Combine([]Client{a, b})
	must.Fail(t, err, "hostB")
}

// TestCombineAgreesOnKinds: one client's GETs all hit, so its log says no kind. The point counts them
// all the same, unless they cannot be told from operations without an answer.
func TestCombineAgreesOnKinds(t *testing.T) {
	for _, unsent := range []bool{false, true} {
		all := clientOf(t, "hostA", []int{1}, 0, 1000, 2000)
		if unsent {
			log := must.Get(DecodeHlog(all.Hlog))(t)
			all.logs(t, append(log, Interval{
				Tag: TagUnsent, Start: log[0].Start, End: log[0].End, Histogram: log[0].Histogram,
			})...)
		}
		some := clientOf(t, "dpuA", []int{2}, time.Hour, 3000, 4000)
		some.Point.Hits, some.Point.Misses = 1, 1
		log := must.Get(DecodeHlog(some.Hlog))(t)
		for i, tag := range []string{TagGetHit, TagGetMiss} {
			h := NewHistogram()
			Record(h, int64(3000+1000*i))
			log = append(log, Interval{Tag: tag, Start: log[0].Start, End: log[0].End, Histogram: h})
		}
		some.logs(t, log...)
		by := mustCombine(t, []Client{all, some})
		if unsent && len(by.ByOp) > 0 ||
			!unsent && (by.LatencyOfOp(TagGetHit).Ops != 3 || by.LatencyOfOp(TagGetMiss).Ops != 1) {
			t.Errorf("unsent %v: found %+v", unsent, by)
		}
	}
}
