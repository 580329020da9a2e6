package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dpukv/kvs"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// Limits of the differences between clients that ran together.
const (
	// of the measurement period, between their begins: a warning from here on
	skewWarning = 0.05
	skewLimit   = 0.5 // of the measurement period: from here on they had no time in common
	// between a node's clock and this one, for the begin of a measurement period
	clockLimit = time.Second
)

// merge makes one result of all clients' shares. It adds counts up and merges histograms. Values
// that describe the server, which each client asked for, become a mean.
func merge(shares []share, told time.Time, pt *sweep.Point) (*node.Result, error) {
	sum := *shares[0].res // requested and used values are the same for all
	p := &sum.Point
	p.Clients = nil
	for i := range shares {
		p.Clients = append(p.Clients, shares[i].summary())
	}
	if len(shares) == 1 {
		return &sum, nil
	}
	skew, err := together(shares, told, pt)
	if err != nil {
		return nil, err
	}
	if sum.Hlog, err = mergeLatencies(shares, p); err != nil {
		return nil, err
	}
	addUsed(shares, p)
	addCounts(shares, p)
	addMoved(shares, p)
	addFrames(shares, p)
	addCosts(shares, p)
	addClientCPUs(shares, p)
	addStages(shares, p)
	addEnergy(shares, p)
	p.Warnings = slices.Concat(skew, sharedBusy(shares, p), warningsOf(shares))
	return &sum, nil
}

// summary returns what the point keeps of a client.
func (s *share) summary() results.ClientShare {
	p := &s.res.Point
	return results.ClientShare{
		Node: resultNode(s.end.node), CPUs: p.ClientCPUs, Threads: p.ClientThreads,
		RateOps: p.RateOps,
		Ops:     p.Ops, ThroughputOps: p.ThroughputOps, Latency: p.Latency,
		CPUNsPerOp: p.ClientCPUNsPerOp, CPUShare: p.ClientCPUShare, HashShare: p.ClientHashShare,
		Moved: p.ClientMoved, MovedLoad: p.ClientMovedLoad,
	}
}

// together compares the measurement periods, by this machine's clock at the clients' begin
// messages. It checks the nodes' own clocks only for gross errors, less their offset at hello.
func together(shares []share, told time.Time, pt *sweep.Point) (warnings []string, err error) {
	begun := make([]time.Time, len(shares))
	for i := range shares {
		s := &shares[i]
		begun[i] = s.began
		ahead := s.hello.Machine.ReadAt.Sub(s.hello.Heard)
		due := told.Add(pt.Warmup)
		limit := clockLimit + time.Duration(pt.ClientThreads)*time.Millisecond
		if off := s.res.Point.StartedAt.Add(-ahead).Sub(due); off.Abs() > limit {
			return nil, fmt.Errorf("node %s: its measurement period began %v from when it was "+
				"told to, by its clock: the clock jumps, or the node hangs; look at both",
				s.Process.Node, off.Round(time.Millisecond))
		}
	}
	skew := slices.MaxFunc(begun, time.Time.Compare).Sub(slices.MinFunc(begun, time.Time.Compare))
	share := float64(skew) / float64(shortest(shares))
	switch text := fmt.Sprintf("the clients began %v apart, %.0f %% of the measurement period",
		skew.Round(100*time.Microsecond), 100*share); {
	case share >= skewLimit:
		return nil, fmt.Errorf("%s: they measured at no time together; measure for longer", text)
	case share >= skewWarning:
		return []string{text}, nil
	}
	return nil, nil
}

// shortest returns the length of the shortest measurement period. The periods differ where each
// client measures a number of requests.
func shortest(shares []share) time.Duration {
	least := shares[0].res.Point.DurationNs
	for i := range shares {
		least = min(least, shares[i].res.Point.DurationNs)
	}
	return time.Duration(least)
}

// mergeLatencies returns the histogram log of all clients, and fills in the latencies from it.
func mergeLatencies(shares []share, p *results.Point) ([]byte, error) {
	var recordings []results.Recording
	for i := range shares {
		res := shares[i].res
		intervals, err := results.DecodeHlog(res.Hlog)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", shares[i].Process.Node, err)
		}
		recordings = append(recordings,
			results.Recording{Start: res.Point.StartedAt, Intervals: intervals})
	}
	intervals, err := results.MergeIntervals(recordings...)
	if err != nil {
		return nil, err
	}
	merged := map[string]*hdrhistogram.Histogram{}
	for _, tag := range []string{results.TagIntended, results.TagActual, results.TagUnsent} {
		if merged[tag], err = results.MergeTag(intervals, tag); err != nil {
			return nil, err
		}
	}
	p.Latency = results.LatencyOf(merged[results.TagIntended])
	p.Actual = results.LatencyOf(merged[results.TagActual])
	if !slices.ContainsFunc(shares, func(s share) bool { return s.res.Point.P9999Ns == 0 }) {
		p.Latency = p.Latency.WithP9999(merged[results.TagIntended])
		p.Actual = p.Actual.WithP9999(merged[results.TagActual])
	}
	p.LatencyLowerBoundFrom = results.LowerBoundFrom(merged[results.TagIntended],
		merged[results.TagUnsent])
	p.LatencyInterval = results.LatencyIntervalOf(intervals, results.TagIntended)
	p.ActualInterval = results.LatencyIntervalOf(intervals, results.TagActual)
	return results.EncodeHlog(intervals)
}

// addUsed records what each client used, where clients may differ: the device, and the method that
// measured hashing.
func addUsed(shares []share, p *results.Point) {
	p.Provider = words(shares, ", ", func(p *results.Point) string { return p.Provider })
	p.ClientHashShareBy = words(shares, "; ", func(p *results.Point) string {
		return p.ClientHashShareBy
	})
	p.ClientHashSamples = 0
	for i := range shares {
		of := &shares[i].res.Point
		p.Emulated = p.Emulated || of.Emulated
		p.ClientHashSamples += of.ClientHashSamples
	}
}

// words joins the different words of the shares, each once.
func words(shares []share, between string, of func(*results.Point) string) string {
	var said []string
	for i := range shares {
		if word := of(&shares[i].res.Point); word != "" && !slices.Contains(said, word) {
			said = append(said, word)
		}
	}
	return strings.Join(said, between)
}

// total adds up a value of all shares.
func total[N uint64 | float64](shares []share, of func(*results.Point) N) (n N) {
	for i := range shares {
		n += of(&shares[i].res.Point)
	}
	return n
}

func addCounts(shares []share, p *results.Point) {
	sum := func(of func(*results.Point) uint64) uint64 { return total(shares, of) }
	p.Ops = sum(func(p *results.Point) uint64 { return p.Ops })
	p.Gets = sum(func(p *results.Point) uint64 { return p.Gets })
	p.HitValueBytes = mean(shares, func(p *results.Point) float64 { return p.HitValueBytes },
		func(p *results.Point) float64 { return float64(p.Hits) })
	p.Hits = sum(func(p *results.Point) uint64 { return p.Hits })
	p.Misses = sum(func(p *results.Point) uint64 { return p.Misses })
	p.Errors = sum(func(p *results.Point) uint64 { return p.Errors })
	p.Timeouts = sum(func(p *results.Point) uint64 { return p.Timeouts })
	p.Retries = sum(func(p *results.Point) uint64 { return p.Retries })
	p.LateOps = sum(func(p *results.Point) uint64 { return p.LateOps })
	p.UnsentOps = sum(func(p *results.Point) uint64 { return p.UnsentOps })
	// The periods are equally long, unless they end with the clients' requests.
	p.ThroughputOps = total(shares, func(p *results.Point) float64 { return p.ThroughputOps })
	if p.Requests > 0 {
		for i := range shares {
			p.DurationNs = max(p.DurationNs, shares[i].res.Point.DurationNs)
		}
		p.Requests *= len(shares)
		p.ThroughputOps = float64(p.Ops) / (float64(p.DurationNs) / 1e9)
	}
	addReconnects(shares, p)
	p.RateOps = total(shares, func(p *results.Point) float64 { return p.RateOps })
	for i := range shares {
		of := &shares[i].res.Point
		p.Evicted = max(p.Evicted, of.Evicted) // the server's, since each client's first look
		p.PreloadHitRate = min(p.PreloadHitRate, of.PreloadHitRate)
		p.CoolDownNs = max(p.CoolDownNs, of.CoolDownNs)
	}
}

func addReconnects(shares []share, p *results.Point) {
	count := func(p *results.Point) float64 { return float64(p.Reconnects) }
	p.ReconnectMeanNs = mean(shares,
		func(p *results.Point) float64 { return p.ReconnectMeanNs }, count)
	p.Reconnects = uint64(total(shares, count))
}

// addMoved adds the other clients' traffic to the first client's.
func addMoved(shares []share, p *results.Point) {
	for i := range shares[1:] {
		of := &shares[i+1].res.Point
		p.ClientMoved.Add(&of.ClientMoved)
		p.ClientMovedLoad.Add(&of.ClientMovedLoad)
		p.ClientMovedWindow.Add(&of.ClientMovedWindow)
	}
}

// mean is the mean of a value over the shares.
func mean(shares []share, value, weight func(*results.Point) float64) float64 {
	all := total(shares, weight)
	if all == 0 {
		return 0
	}
	return total(shares, func(p *results.Point) float64 { return value(p) * weight(p) }) / all
}

// These are weights of shares.
func alike(*results.Point) float64 { return 1 }
func ops(p *results.Point) float64 { return float64(p.Ops) }

// addStages splits the merged latency. The server's part is the same for all but for the times of
// the samples. Without the stages of all clients there are none.
func addStages(shares []share, p *results.Point) {
	p.Stages = results.Stages{}
	for i := range shares {
		if shares[i].res.Point.Stages == (results.Stages{}) {
			return
		}
	}
	queueNs := mean(shares, func(p *results.Point) float64 { return p.Stages.ClientQueueNs }, ops)
	serverNs := mean(shares, func(p *results.Point) float64 {
		return p.Stages.ServerResidenceNs
	}, alike)
	p.Stages = results.StagesOf(p, queueNs, serverNs)
}

// addEnergy adds the energy of the clients' machines, each once. If one is unknown, so is the sum.
func addEnergy(shares []share, p *results.Point) {
	server, serverBy := 0.0, ""
	uj := map[string]float64{}
	known := true
	for i := range shares {
		of := &shares[i].res.Point
		known = known && of.ClientEnergyUJPerOp > 0
		kernel := shares[i].end.kernel
		uj[kernel] = max(uj[kernel], of.ClientEnergyUJPerOp*float64(of.Ops))
		if of.ServerEnergyUJPerOp > server {
			server, serverBy = of.ServerEnergyUJPerOp, of.ServerEnergyBy
		}
	}
	p.ServerEnergyUJPerOp, p.ServerEnergyBy = server, serverBy
	p.ClientEnergyUJPerOp, p.ClientEnergyBy = 0, ""
	if !known || p.Ops == 0 {
		return
	}
	for _, machine := range uj {
		p.ClientEnergyUJPerOp += machine / float64(p.Ops)
	}
	p.ClientEnergyBy = words(shares, "; ", func(p *results.Point) string {
		return p.ClientEnergyBy
	})
}

// addFrames computes means of frames, weighted by their number.
func addFrames(shares []share, p *results.Point) {
	frames := func(p *results.Point) float64 {
		if p.OpsPerFrame == 0 {
			return 0
		}
		return float64(p.Ops) / p.OpsPerFrame
	}
	writes := func(p *results.Point) float64 {
		if p.FramesPerWrite == 0 {
			return 0
		}
		return frames(p) / p.FramesPerWrite
	}
	p.OpsPerFrame = mean(shares, func(p *results.Point) float64 { return p.OpsPerFrame }, frames)
	p.BytesPerFrame = mean(shares,
		func(p *results.Point) float64 { return p.BytesPerFrame }, frames)
	p.FramesPerWrite = mean(shares,
		func(p *results.Point) float64 { return p.FramesPerWrite }, writes)
}

// addCosts computes means of CPU time. An operation's is weighted by operations, and the hash's
// share by CPU time. Values from the server have equal weights.
func addCosts(shares []share, p *results.Point) {
	mean := func(value, weight func(*results.Point) float64) float64 {
		return mean(shares, value, weight)
	}
	clientNs := func(p *results.Point) float64 { return p.ClientCPUNsPerOp * float64(p.Ops) }
	p.ClientHashShare = mean(func(p *results.Point) float64 { return p.ClientHashShare }, clientNs)
	p.ClientCPUNsPerOp = mean(func(p *results.Point) float64 { return p.ClientCPUNsPerOp }, ops)
	addParts(shares, p)
	p.ComputeCPUNsPerOp = mean(func(p *results.Point) float64 { return p.ComputeCPUNsPerOp }, ops)
	p.ComputeMeanNs = mean(func(p *results.Point) float64 { return p.ComputeMeanNs }, ops)
	p.Overlap = meanOverlap(shares)
	p.ServerCPUNsPerOp = mean(func(p *results.Point) float64 { return p.ServerCPUNsPerOp }, alike)
	p.ServerCPUShare = mean(func(p *results.Point) float64 { return p.ServerCPUShare }, alike)
	p.ServerOthersShare = mean(func(p *results.Point) float64 { return p.ServerOthersShare }, alike)
	p.ServerStolenShare = mean(func(p *results.Point) float64 { return p.ServerStolenShare }, alike)
	p.ServerInterruptShare = mean(
		func(p *results.Point) float64 { return p.ServerInterruptShare }, alike)
}

// addClientCPUs adds up the time of the clients' CPUs.
func addClientCPUs(shares []share, p *results.Point) {
	for i := range shares { // the maximum: a mean would hide a single disturbed client
		of := &shares[i].res.Point
		p.ClientOthersShare = max(p.ClientOthersShare, of.ClientOthersShare)
		p.ClientStolenShare = max(p.ClientStolenShare, of.ClientStolenShare)
		p.ClientLag = p.ClientLag.Max(of.ClientLag)
		p.ClientInterruptShare = max(p.ClientInterruptShare, of.ClientInterruptShare)
	}

	had, cpus := cpusOf(shares)
	busy := total(shares, func(p *results.Point) float64 {
		return p.ClientCPUShare * float64(len(p.ClientCPUs))
	})
	atWork := total(shares, func(p *results.Point) float64 {
		return p.ClientBusyShare * float64(len(p.ClientCPUs))
	})
	p.ClientBusyShare = atWork / float64(max(had, 1))
	p.ClientCPUShare, p.ClientCPUs = busy/float64(max(had, 1)), cpus
}

// addParts computes the means of the parts' CPU times. The applications' is the clients', and
// the others are the server's, which each client tells. A time without work that one client does
// not know is unknown.
func addParts(shares []share, p *results.Point) {
	p.Parts = slices.Clone(p.Parts)
	for i := range p.Parts {
		part := &p.Parts[i]
		weight := alike
		if part.Part == kvs.PartApplication {
			weight = ops
		}
		of := func(value func(*results.Part) float64) func(*results.Point) float64 {
			return func(p *results.Point) float64 { return value(p.PartOf(part.Part)) }
		}
		spun := of(func(o *results.Part) float64 { return o.SpunNsPerOp })
		known := !slices.ContainsFunc(shares, func(s share) bool { return spun(&s.res.Point) == 0 })
		part.CPUNsPerOp = mean(shares, of(func(o *results.Part) float64 {
			return o.CPUNsPerOp
		}), weight)
		if part.SpunNsPerOp = 0; known {
			part.SpunNsPerOp = mean(shares, spun, weight)
		}
	}
}

func meanOverlap(shares []share) results.Overlap {
	var all []results.Overlap
	for i := range shares {
		all = append(all, shares[i].res.Point.Overlap)
	}
	return results.MeanOverlap(all)
}

// cpusOf counts the clients' CPUs, each once, and lists their numbers.
func cpusOf(shares []share) (had int, cpus []int) {
	seen := map[string]bool{}
	for i := range shares {
		for _, c := range shares[i].res.Point.ClientCPUs {
			seen[fmt.Sprint(shares[i].end.kernel, "/", c)] = true
			cpus = append(cpus, c)
		}
	}
	slices.Sort(cpus)
	return len(seen), slices.Compact(cpus)
}

// sharedBusy warns of several busy clients on the same CPUs, which no client sees itself. The time
// that they spin counts as idle, as for one client.
func sharedBusy(shares []share, p *results.Point) []string {
	had, _ := cpusOf(shares)
	each := 0
	for i := range shares {
		each += len(shares[i].res.Point.ClientCPUs)
	}
	if had == each || p.ClientBusyShare <= results.BusyShare {
		return nil
	}
	return []string{fmt.Sprintf("client-bound: the clients' threads were together busy for %.0f "+
		"%% of the time of the CPUs that they share (limit: %.0f %%). %s",
		100*p.ClientBusyShare, 100*results.BusyShare, results.ClientsLimit)}
}

func warningsOf(shares []share) []string {
	var all []string
	for i := range shares {
		for _, w := range shares[i].res.Point.Warnings {
			all = append(all, shares[i].Process.Node+": "+w)
		}
	}
	return all
}

// share is one client's work.
type share struct {
	*member
	res   *node.Result
	began time.Time // by this machine's clock
	begun bool      // it has told so
}

// collect lets a client that has measured close its connections, and takes its result.
func (s *share) collect(ctx context.Context, timeout time.Duration) (err error) {
	s.Send(&node.Release{})
	s.res, err = node.Expect[*node.Result](ctx, s.Process, timeout, "tell its result")
	if err == nil && s.res.Point.Status != results.StatusOK {
		err = fmt.Errorf("node %s: %s", s.Process.Node, s.res.Point.Error)
	}
	return err
}
