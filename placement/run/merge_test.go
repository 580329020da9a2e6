package run

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/placement/launch"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// fakeShare returns the report of a client with these latencies. Its measurement period is a
// second, and its clock is off by clock.
func fakeShare(t *testing.T, name string, cpus []int, clock time.Duration, told time.Time, latencies ...int64) share {
	t.Helper()
	h := results.NewHistogram()
	for _, l := range latencies {
		results.Record(h, l)
	}
	p := fakePoint(&node.ClientSpec{
		Store: "mica", Threads: 1,
		Load: load.Load{Batch: 64, Window: 1, Connections: 1, Hash: "city64"},
	})
	p.StartedAt = told.Add(clock)
	p.Ops, p.Gets, p.Hits = uint64(len(latencies)), uint64(len(latencies)), uint64(len(latencies))
	p.ThroughputOps, p.ClientCPUs, p.ClientCPUShare, p.ClientCPUNsPerOp = float64(len(latencies)), cpus, 0.5, 100
	p.ClientBusyShare = p.ClientCPUShare
	p.PreloadHitRate, p.OpsPerFrame, p.BytesPerFrame, p.FramesPerWrite = 1, 64, 1000, float64(len(latencies))
	p.Latency, p.Actual = results.LatencyOf(h), results.LatencyOf(h)
	p.Warnings = []string{"a warning"}
	moved := results.Moved{Sockets: results.Packets{Sources: 1, SentBytes: p.Ops}}
	p.ClientMoved, p.ClientMovedLoad, p.ClientMovedWindow = moved, moved, moved
	var intervals []results.Interval
	for _, tag := range []string{results.TagIntended, results.TagActual} {
		intervals = append(intervals,
			results.Interval{Tag: tag, Start: p.StartedAt, End: p.StartedAt.Add(time.Second), Histogram: h})
	}
	log, err := results.EncodeHlog(intervals)
	if err != nil {
		t.Fatal(err)
	}
	return share{
		member: &member{
			Process: &node.Process{Node: name},
			end:     end{node: &testbed.Node{Node: launch.Node{Name: name}, Kind: testbed.KindHost}, kernel: "k"},
			hello: &node.Hello{
				Machine: machine.Facts{ReadAt: told.Add(clock - time.Minute)},
				Heard:   told.Add(-time.Minute),
			},
		},
		res: &node.Result{Point: p, Hlog: log}, began: told,
	}
}

// TestMergeHasIntervals: the percentiles of two clients have intervals, from the log of both.
func TestMergeHasIntervals(t *testing.T) {
	told := time.Now()
	var shares []share
	for _, name := range []string{"hostA", "dpuA"} {
		s := fakeShare(t, name, []int{1}, 0, told, 1000)
		var intervals []results.Interval
		for i := range 12 {
			h := results.NewHistogram()
			results.Record(h, int64(1000+100*i))
			start := s.res.Point.StartedAt.Add(time.Duration(i) * time.Second)
			intervals = append(intervals, results.Interval{
				Tag: results.TagActual, Start: start, End: start.Add(time.Second), Histogram: h,
			})
		}
		log, err := results.EncodeHlog(intervals)
		if err != nil {
			t.Fatal(err)
		}
		s.res.Hlog = log
		shares = append(shares, s)
	}
	p := &results.Point{StartedAt: told}
	if _, err := mergeLatencies(shares, p); err != nil {
		t.Fatal(err)
	}
	i := p.ActualInterval
	if i.P50LoNs < 1000 || i.P50LoNs >= p.Actual.P50Ns || i.P50HiNs <= p.Actual.P50Ns {
		t.Errorf("the median %d has the interval %+v", p.Actual.P50Ns, i)
	}
}

// TestMergeAddsUp merges two clients on one CPU whose clocks are an hour apart.
func TestMergeAddsUp(t *testing.T) {
	told := time.Now()
	pt := &sweep.Point{Config: sweep.Config{Duration: time.Second}}
	shares := []share{
		fakeShare(t, "hostA", []int{1}, 0, told, 1000, 2000, 3000),
		fakeShare(t, "dpuA", []int{1}, time.Hour, told, 9000),
	}
	res, err := merge(shares, told, pt)
	if err != nil {
		t.Fatal(err)
	}
	p := &res.Point
	if p.LatencyInterval != (results.LatencyInterval{}) {
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
	if p.ClientCPUShare != 1 || p.ClientCPUNsPerOp != 100 {
		t.Errorf("two clients busy half the time of one CPU: a share of %v, %v ns an operation", p.ClientCPUShare,
			p.ClientCPUNsPerOp)
	}
	want := results.Moved{Sockets: results.Packets{Sources: 2, SentBytes: 4}}
	for span, got := range map[string]results.Moved{
		"whole": p.ClientMoved, "load": p.ClientMovedLoad, "window": p.ClientMovedWindow,
	} {
		if got != want {
			t.Errorf("the %s moved %+v, want %+v", span, got, want)
		}
	}
	if own := p.Clients[1]; own.Moved.Sockets.SentBytes != 1 || own.MovedLoad.Sockets.SentBytes != 1 {
		t.Errorf("the second client's own: %+v", own)
	}
	intervals, err := results.DecodeHlog(res.Hlog)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := results.MergeTag(intervals, results.TagIntended); err != nil || h.TotalCount() != 4 ||
		len(intervals) != 2 {
		t.Errorf("%d intervals with %d operations, %v", len(intervals), h.TotalCount(), err)
	}
	text := strings.Join(p.Warnings, "\n")
	for _, want := range []string{
		"client-bound: the clients' threads were together busy for 100 %", "hostA: a warning",
		"dpuA: a warning",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("warnings %q, want %s", p.Warnings, want)
		}
	}
}

// TestMergeParts: the applications' CPU time is that of all operations, on the machine of each
// client. The server's is what the clients told of it.
func TestMergeParts(t *testing.T) {
	told := time.Now()
	var shares []share
	for i, name := range []string{"hostA", "dpuA"} {
		latencies := [][]int64{{1000, 2000, 3000}, {9000}}[i]
		s := fakeShare(t, name, []int{i}, 0, told, latencies...)
		if p := &s.res.Point; i == 0 {
			p.ClientCPUNsPerOp, p.ServerCPUNsPerOp = 100, 60
		} else {
			s.end.node.Kind = testbed.KindDPU
			p.ClientCPUNsPerOp, p.ServerCPUNsPerOp = 300, 80
		}
		s.res.Point.Parts = []results.Part{
			{Part: kvs.PartApplication, CPUNsPerOp: s.res.Point.ClientCPUNsPerOp},
			{Part: kvs.PartEngine, CPUNsPerOp: s.res.Point.ServerCPUNsPerOp - 20, SpunNsPerOp: float64(2 * i)},
			{Part: kvs.PartStore, CPUNsPerOp: 20, SpunNsPerOp: float64(4 + 2*i)},
		}
		shares = append(shares, s)
	}
	res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(name, kind string) *member {
		return &member{end: end{node: &testbed.Node{Node: launch.Node{Name: name}, Kind: kind}}}
	}
	m := &measurement{pt: &sweep.Point{}, all: &pointProcesses{
		server: at("dpuB", testbed.KindDPU), store: at("hostB", testbed.KindHost),
		clients: []*member{shares[0].member, shares[1].member},
	}}
	p := &res.Point
	m.noteParts(p)
	node := func(name, kind string) results.Node { return results.Node{Node: name, Kind: kind} }
	want := []results.Part{
		{Part: kvs.PartApplication, CPUNsPerOp: 150},
		{Part: kvs.PartEngine, Node: node("dpuB", testbed.KindDPU), CPUNsPerOp: 50}, // the first knows no polling
		{Part: kvs.PartStore, Node: node("hostB", testbed.KindHost), CPUNsPerOp: 20, SpunNsPerOp: 5},
	}
	if !slices.Equal(p.Parts, want) {
		t.Errorf("found %+v, want %+v", p.Parts, want)
	}
	got := []float64{p.ClientHostCPUNsPerOp, p.ClientDPUCPUNsPerOp, p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp}
	if !slices.Equal(got, []float64{75, 75, 20, 50}) {
		t.Errorf("found %v on hosts and DPUs of clients and server, want 75, 75, 20, 50", got)
	}
	if p.ClientCPUNsPerOp != 150 || p.ServerCPUNsPerOp != 70 || shares[0].res.Point.Parts[0].CPUNsPerOp != 100 {
		t.Errorf("client %v, server %v, and the first share's own %+v", p.ClientCPUNsPerOp, p.ServerCPUNsPerOp,
			shares[0].res.Point.Parts)
	}
}

// TestMergeRequests: clients do their requests in different times. The point has the longest, and
// all requests.
func TestMergeRequests(t *testing.T) {
	told := time.Now()
	var shares []share
	for i, name := range []string{"hostA", "dpuA"} {
		s := fakeShare(t, name, []int{1}, 0, told, 1000, 2000)
		p := &s.res.Point
		p.Requests, p.DurationNs = 2, int64(i+1)*1e9
		p.ThroughputOps = 2 / float64(i+1)
		p.Reconnects, p.ReconnectMeanNs = uint64(1+2*i), float64(100*(i+1))
		p.ComputeMeanNs, p.ComputeCPUNsPerOp = float64(1000*(i+1)), float64(10*(i+1))
		p.Overlap = results.Overlap{
			Percent: float64(50 * i), CommNs: 200, ComputeNs: 210, OverallNs: float64(400 - 100*i),
		}
		shares = append(shares, s)
	}
	pt := &sweep.Point{}
	pt.Requests = 4
	res, err := merge(shares, told, pt)
	if err != nil {
		t.Fatal(err)
	}
	p := &res.Point
	if p.Requests != 4 || p.Ops != 4 || p.DurationNs != 2e9 || p.ThroughputOps != 2 {
		t.Errorf("found %d requests, %d operations in %d ns, %v a second", p.Requests, p.Ops, p.DurationNs,
			p.ThroughputOps)
	}
	if p.Reconnects != 4 || p.ReconnectMeanNs != 175 {
		t.Errorf("found %d reconnects of %v ns", p.Reconnects, p.ReconnectMeanNs)
	}
	want := results.Overlap{Percent: 25, CommNs: 200, ComputeNs: 210, OverallNs: 350}
	if p.ComputeMeanNs != 1500 || p.ComputeCPUNsPerOp != 15 || p.Overlap != want {
		t.Errorf("found computes of %v ns, %v ns an operation, overlap %+v", p.ComputeMeanNs,
			p.ComputeCPUNsPerOp, p.Overlap)
	}
}

// TestMergeKeepsDoubts: operations that one client never sent make the merged percentiles lower
// bounds, and the lag is that of the worse client.
func TestMergeKeepsDoubts(t *testing.T) {
	told := time.Now()
	shares := []share{
		fakeShare(t, "hostA", []int{0}, 0, told, 1000, 2000, 3000),
		fakeShare(t, "dpuA", []int{1}, time.Hour, told, 4000, 5000),
	}
	late := shares[1].res
	intervals, err := results.DecodeHlog(late.Hlog)
	if err != nil {
		t.Fatal(err)
	}
	unsent := results.NewHistogram()
	results.Record(unsent, 4500)
	results.Record(intervals[0].Histogram, 4500) // the intended one
	intervals = append(intervals, results.Interval{
		Tag: results.TagUnsent, Start: late.Point.StartedAt, End: late.Point.StartedAt.Add(time.Second),
		Histogram: unsent,
	})
	if late.Hlog, err = results.EncodeHlog(intervals); err != nil {
		t.Fatal(err)
	}
	shares[0].res.Point.ClientLag = results.Lag{P50Ns: 3, P99Ns: 5, P999Ns: 6, MaxNs: 7}
	late.Point.ClientLag = results.Lag{P50Ns: 1, P99Ns: 9, P999Ns: 9, MaxNs: 9}
	res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	p := &res.Point
	if p.LatencyLowerBoundFrom != 95 {
		t.Errorf("lower bounds from %v, want 95", p.LatencyLowerBoundFrom)
	}
	if want := (results.Lag{P50Ns: 3, P99Ns: 9, P999Ns: 9, MaxNs: 9}); p.ClientLag != want {
		t.Errorf("lag %+v, want %+v", p.ClientLag, want)
	}
}

// TestMergeSaysWhatEachUsed: the point keeps apart the clients' devices and methods to measure.
func TestMergeSaysWhatEachUsed(t *testing.T) {
	told := time.Now()
	shares := []share{fakeShare(t, "hostA", []int{0}, 0, told, 1), fakeShare(t, "dpuA", []int{1}, 0, told, 1)}
	of := func(i int) *results.Point { return &shares[i].res.Point }
	of(0).Provider, of(0).ClientHashShareBy, of(0).ClientHashSamples = "ibverbs", "sampling", 1000
	of(1).Provider, of(1).ClientHashShareBy, of(1).ClientHashSamples = "softroce to ibverbs", "an estimate", 3
	of(1).Emulated = true
	res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	p := &res.Point
	if p.Provider != "ibverbs, softroce to ibverbs" || !p.Emulated || p.ClientHashShareBy != "sampling; an estimate" ||
		p.ClientHashSamples != 1003 {
		t.Errorf("found provider %q, emulated %v, hashing by %q with %d samples", p.Provider, p.Emulated,
			p.ClientHashShareBy, p.ClientHashSamples)
	}
}

// TestMergeStages checks that the merged stages split the merged latency, weighted like it.
func TestMergeStages(t *testing.T) {
	told := time.Now()
	shares := []share{
		fakeShare(t, "hostA", []int{0}, 0, told, 1000, 2000, 3000),
		fakeShare(t, "hostB", []int{1}, 0, told, 9000),
	}
	of := func(i int) *results.Point { return &shares[i].res.Point }
	of(0).Stages = results.StagesOf(of(0), 100, 400)
	of(1).Stages = results.StagesOf(of(1), 500, 600)
	merged := func() *results.Point {
		res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		return &res.Point
	}
	p := merged()
	want := results.Stages{ClientQueueNs: 200, ServerResidenceNs: 500, RestNs: p.Actual.MeanNs - 700}
	if p.Stages != want {
		t.Errorf("found %+v, want %+v", p.Stages, want)
	}
	of(1).Stages = results.Stages{}
	if p := merged(); p.Stages != (results.Stages{}) {
		t.Errorf("found %+v, though one client has none", p.Stages)
	}
}

// TestMergeEnergy checks that each machine's energy counts once, and that a part gives no sum.
func TestMergeEnergy(t *testing.T) {
	told := time.Now()
	shares := []share{
		fakeShare(t, "a", []int{0}, 0, told, 1, 1, 1), fakeShare(t, "b", []int{1}, 0, told, 1),
		fakeShare(t, "c", []int{0}, 0, told, 1, 1),
	}
	shares[2].end.kernel = "another"
	for i, uj := range []float64{4, 12, 9} { // 12 µJ of one machine, as both clients saw it, and 18 of the other
		p := &shares[i].res.Point
		p.ClientEnergyUJPerOp, p.ClientEnergyBy = uj, "rapl: package-0"
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = 7, "rapl: package-1"
	}
	merged := func() *results.Point {
		res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		return &res.Point
	}
	if p := merged(); p.ClientEnergyUJPerOp != 5 || p.ClientEnergyBy != "rapl: package-0" ||
		p.ServerEnergyUJPerOp != 7 || p.ServerEnergyBy != "rapl: package-1" {
		t.Errorf("clients: %v µJ by %q, server: %v by %q; want 5 and 7", p.ClientEnergyUJPerOp, p.ClientEnergyBy,
			p.ServerEnergyUJPerOp, p.ServerEnergyBy)
	}
	shares[1].res.Point.ClientEnergyUJPerOp = 0
	if p := merged(); p.ClientEnergyUJPerOp != 0 || p.ClientEnergyBy != "" {
		t.Errorf("one client knows nothing: found %v by %q", p.ClientEnergyUJPerOp, p.ClientEnergyBy)
	}
}

func TestMergeRefusesNonsense(t *testing.T) {
	told := time.Now()
	pt := &sweep.Point{Config: sweep.Config{Duration: time.Second}}
	shares := func() []share {
		return []share{fakeShare(t, "a", []int{0}, 0, told, 1), fakeShare(t, "b", []int{1}, 0, told, 1)}
	}
	late := shares()
	late[1].began = told.Add(600 * time.Millisecond)
	if _, err := merge(late, told, pt); err == nil ||
		!strings.Contains(err.Error(), "the clients began 600ms apart, 60 % of the measurement period") {
		t.Errorf("no common window: got %v", err)
	}
	late[1].began = told.Add(100 * time.Millisecond)
	if res, err := merge(late, told, pt); err != nil ||
		!strings.Contains(res.Point.Warnings[0], "100ms apart, 10 % of the measurement period") {
		t.Errorf("not quite together: got %v", err)
	}
	jumped := shares()
	jumped[1].res.Point.StartedAt = told.Add(time.Hour)
	if _, err := merge(jumped, told, pt); err == nil ||
		!strings.Contains(err.Error(),
			"node b: its measurement period began 1h0m0s from when it was told to, by its clock") {
		t.Errorf("a clock that jumps: got %v", err)
	}
	garbled := shares()
	garbled[0].res.Hlog = []byte("1,2,3\n")
	if _, err := merge(garbled, told, pt); err == nil ||
		!strings.Contains(err.Error(), "node a: results: histogram log") {
		t.Errorf("a damaged log: got %v", err)
	}
}

// TestMergeSpinningIsNotBusy: clients that share a CPU and poll for answers all the time leave room
// on it, though it is never idle.
func TestMergeSpinningIsNotBusy(t *testing.T) {
	told := time.Now()
	shares := []share{fakeShare(t, "a", []int{1}, 0, told, 1), fakeShare(t, "b", []int{1}, 0, told, 1)}
	for i := range shares {
		shares[i].res.Point.ClientBusyShare = 0.2
	}
	res, err := merge(shares, told, &sweep.Point{Config: sweep.Config{Duration: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(res.Point.Warnings, "\n"); strings.Contains(text, "client-bound") {
		t.Errorf("busy for 40 %% of the time: %s", text)
	}
}
