package client

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/results"
)

const (
	// of its CPUs, above which the client is taken for the bottleneck
	boundShare   = results.BusyShare
	missedShare  = 0.01 // of the offered rate
	heldShare    = 0.01 // of the batches
	lagShare     = 0.10 // of a percentile of the latency, for the same percentile of the lag
	spunShare    = 0.10 // of the client threads' CPU time
	beyondWanted = 10.0 // samples above a percentile for it to be worth showing
)

// warnings returns the warnings that belong beside a point.
func (r *loadRun) warnings(p *results.Point, s summed) results.Warnings {
	list := results.Warnings{
		r.clientBound(s),
		r.computeBound(s),
		r.computeSlow(p),
		r.notFull(p, s),
		r.fewRequests(),
		spun(s),
		r.sharedCPUs(p),
		r.proxyBound(p),
		r.rateMissed(s),
		lowerBounds(p),
		scheduleLate(p, s),
		scheduleHeld(s),
		tooShort(&p.LatencyInterval, s),
		clamped(s),
		retried(p, s),
		r.expired(s),
		r.traceTTLs(s),
		r.fillsDropped(s),
		sizeless(s),
		r.notFollowed(),
		unchecked(&r.facts),
	}
	list = append(list, r.sharedByBoth(p)...)
	list = append(list, packetLoss(p)...)
	list = append(list, disturbed(p, r.cfg.SharedServer)...)
	if o, ok := r.remote.(kvs.Observed); ok {
		list = append(list, results.ReadWarnings(o.Warnings(r.begunAt)...)...)
	}
	list = append(list, results.ReadWarnings(r.sampler.end.server.Warnings...)...)
	return slices.DeleteFunc(list, func(w results.Warning) bool { return w.Text == "" })
}

// unchecked warns of a client that believes all that READs bring.
func unchecked(f *kvs.Facts) results.Warning {
	if f.ReadCheck != kvs.Unchecked {
		return results.Warning{}
	}
	return results.Unchecked.Warn("validate: %s: a GET could return a value that nobody wrote; "+
		"the figures show the price of the check, and are of no store to use", f.ReadCheck)
}

// expired warns of misses that the expiry of items explains.
func (r *loadRun) expired(s summed) results.Warning {
	if r.cfg.TTL == 0 || s.inside.misses == 0 {
		return results.Warning{}
	}
	return results.Expired.Warn(
		"%d of %d GETs missed: items expire %s after their SET, and this load does "+
			"not store them again at once", s.inside.misses, s.inside.gets,
		numfmt.Duration(r.cfg.TTL))
}

// traceTTLs warns of times to live in a trace that the items do not have.
func (r *loadRun) traceTTLs(s summed) results.Warning {
	switch unit := r.facts.TTLUnit; {
	case s.ttls == 0:
	case unit == 0:
		return results.TTLs.Warn("%s of the trace had one, %s has none: items stay for longer "+
			"than recorded, so more GETs may find them",
			numfmt.Count(s.ttls, "operation"), r.facts.Store)
	case r.cfg.TraceSpeed == 0:
		return results.TTLs.Warn("%s of the trace had one, as recorded, and the operations follow "+
			"as soon as they can: fewer items expire than with a trace_speed",
			numfmt.Count(s.ttls, "operation"))
	case s.longTTLs > 0:
		return results.TTLs.Warn("%d of %d became more than a tenth longer: at this trace_speed "+
			"they are no multiples of %v, the unit of %s", s.longTTLs, s.ttls, unit,
			r.facts.Store)
	}
	return results.Warning{}
}

// fillsDropped warns of misses that were not stored.
func (r *loadRun) fillsDropped(s summed) results.Warning {
	if s.droppedFills == 0 {
		return results.Warning{}
	}
	return results.FillsDropped.Warn("%d misses were not stored: %d others of their thread waited "+
		"for the fill_delay or for room in its windows, which is the limit. The hit rate is too "+
		"low: shorten the delay, offer a lower rate, or use more threads", s.droppedFills,
		mostFills)
}

// sizeless warns of misses of a trace that no fill can answer.
func sizeless(s summed) results.Warning {
	if s.inside.sizeless == 0 {
		return results.Warning{}
	}
	return results.Sizeless.Warn("%d of %d misses were not stored: up to then, the trace had not "+
		"told the size of the key's value, as its GETs have none. The hit rate is lower than "+
		"that of an application that stores them: give the GETs of the trace a value_size",
		s.inside.sizeless, s.inside.misses)
}

// notFollowed warns of threads that stopped comparing a key's answers with those before.
func (r *loadRun) notFollowed() results.Warning {
	n := 0
	for _, l := range r.loaders {
		if l.unordered {
			n++
		}
	}
	if n == 0 {
		return results.Warning{}
	}
	return results.LostPackets.Warn("requests sent again: their answers came out of order, so %d "+
		"of %d threads stopped comparing the answers of a key with those before", n,
		len(r.loaders))
}

// fewRequests warns of a quota that the requests in flight at its begin delay. They are answered in
// the measurement period, and belong to the warm-up.
func (r *loadRun) fewRequests() results.Warning {
	inFlight := r.flight().windows()
	if r.cfg.OpenLoop() || r.cfg.Warmup == 0 || !r.few() {
		return results.Warning{}
	}
	return results.FewRequests.Warn("up to %d operations of the warm-up were in flight when the "+
		"%d began. Their answers came first, which lowers the throughput by up to %.0f %%. Ask "+
		"for more requests, or leave out the warm-up", inFlight, r.cfg.Requests,
		100*float64(inFlight)/float64(r.cfg.Requests+inFlight))
}

// few reports that the requests of a quota are few beside the windows.
func (r *loadRun) few() bool {
	return r.cfg.Requests > 0 &&
		float64(r.flight().windows()) > missedShare*float64(r.cfg.Requests)
}

// notFull leaves out few requests: the windows fill with them, and empty at the end.
func (r *loadRun) notFull(p *results.Point, s summed) results.Warning {
	if r.few() {
		return results.Warning{}
	}
	return r.flight().notFull(p, s.youngNs)
}

// clientBound leaves out the time that an open loop spins without work, and the compute.
func (r *loadRun) clientBound(s summed) results.Warning {
	share := r.shareOf(s.busyNs())
	if share <= boundShare {
		return results.Warning{}
	}
	return results.ClientBound.Warn("the client's threads used %.0f %% of their CPUs' time "+
		"(limit: %.0f %%). %s", share*100, boundShare*100, results.ClientsLimit)
}

func spun(s summed) results.Warning {
	if float64(s.spunNs) <= float64(s.cpuNs)*spunShare {
		return results.Warning{}
	}
	return results.Spinning.Warn(
		"the client threads spent %.0f %% of their CPU time spinning, for answers "+
			"or for the next send. This time counts in "+
			"client_cpu_ns_per_op", 100*float64(s.spunNs)/float64(s.cpuNs))
}

func (r *loadRun) sharedCPUs(p *results.Point) results.Warning {
	if w := crowdedPollers(p); w.Text != "" {
		return w
	}
	if len(r.cfg.CPUs) == 0 {
		if n := r.clientCPUs(); n < r.cfg.Threads {
			return results.SharedCPUs.Warn("%d client threads share %d CPUs", r.cfg.Threads, n)
		}
		return results.Warning{}
	}
	threads := map[int][]int{}
	for i := range r.cfg.Threads {
		threads[r.cfg.cpuOf(i)] = append(threads[r.cfg.cpuOf(i)], i)
	}
	var shared []string
	for _, c := range r.pinnedTo() {
		if len(threads[c]) > 1 {
			shared = append(shared, fmt.Sprintf("threads %v on CPU %d", threads[c], c))
		}
	}
	if shared == nil {
		return results.Warning{}
	}
	return results.SharedCPUs.Warn("client threads share CPUs: %s", strings.Join(shared, ", "))
}

// proxyBound warns of a proxy whose threads were full. Its polling without work does not count.
func (r *loadRun) proxyBound(p *results.Point) results.Warning {
	begin, some := r.sampler.begin.server.PartOf(kvs.PartProxy)
	end, too := r.sampler.end.server.PartOf(kvs.PartProxy)
	ns := r.sampler.end.nowNs - r.sampler.begin.nowNs
	if !some || !too || p.ProxyLanes == nil || ns <= 0 {
		return results.Warning{}
	}
	cpus := p.ProxyLanes.Threads
	if n := len(p.ProxyLanes.CPUs); n > 0 {
		cpus = min(cpus, n)
	}
	busyNs := end.CPUNs - begin.CPUNs - (end.SpunNs - begin.SpunNs)
	share := float64(busyNs) / (float64(max(cpus, 1)) * float64(ns))
	if share <= boundShare {
		return results.Warning{}
	}
	return results.ProxyBound.Warn("the proxy used %.0f %% of the time of its %d CPUs (limit: "+
		"%.0f %%). A faster server would look the same: give the proxy more threads", share*100,
		cpus, boundShare*100)
}

// pinned are the CPUs of this machine that a process is pinned to.
type pinned struct {
	name string
	cpus []int
}

// sharedByBoth warns of CPUs of this machine that the client, its proxy and the server share. Lanes
// of software devices join processes of one machine.
func (r *loadRun) sharedByBoth(p *results.Point) (warnings results.Warnings) {
	client := pinned{"client", r.pinnedTo()}
	var servers []pinned
	if r.cfg.SameHost {
		servers = append(servers, pinned{"server", r.facts.CPUs})
		if p.Lanes != nil && p.Lanes.Emulated {
			servers = append(servers, pinned{"store half", p.Lanes.CPUs})
		}
	}
	for _, s := range servers {
		w := client.shares(s)
		if w.Text != "" {
			w.Text += whoPolls(p)
		}
		warnings = append(warnings, w)
	}
	if p.ProxyLanes != nil && p.ProxyLanes.Emulated {
		proxy := pinned{"proxy", p.ProxyLanes.CPUs}
		warnings = append(warnings, client.shares(proxy))
		for _, s := range servers {
			warnings = append(warnings, proxy.shares(s))
		}
	}
	return warnings
}

// shares returns a warning of CPUs that two processes share; "": they share none.
func (a pinned) shares(b pinned) results.Warning {
	if len(a.cpus) == 0 || len(b.cpus) == 0 {
		return results.SharedCPUs.Warn(
			"%s and %s run on the same machine, and not both are pinned: they may "+
				"share CPUs", a.name, b.name)
	}
	both := common(a.cpus, b.cpus)
	if both == nil {
		return results.Warning{}
	}
	return results.SharedCPUs.Warn("%s and %s share CPUs %v", a.name, b.name, both)
}

// rateMissed compares the rate with all answers of the measurement period. Those to operations of
// the warm-up stand for those in flight at its end. It allows for one batch per thread.
func (r *loadRun) rateMissed(s summed) results.Warning {
	offered := r.cfg.RateOps * r.cfg.Duration.Seconds()
	if r.cfg.Replays() {
		offered = float64(s.inside.answered + s.late + s.unsent)
	}
	if s.random { // fewer may have been due than the rate says
		offered = min(offered, float64(s.groups)*float64(r.cfg.Batch)+float64(s.unsent))
	}
	if !r.cfg.OpenLoop() ||
		float64(s.answeredIn) >= offered*(1-missedShare)-float64(r.cfg.Batch*r.cfg.Threads) {
		return results.Warning{}
	}
	return results.RateMissed.Warn("%.0f of %.0f operations per second were answered (%d "+
		"operations answered late, %d never sent)",
		float64(s.answeredIn)/r.cfg.Duration.Seconds(), r.cfg.RateOps, s.late, s.unsent)
}

// lowerBounds warns of percentiles that unsent operations make uncertain. Those operations waited
// longest. So even a rate that is hardly missed can make the highest percentiles uncertain. The
// maximum alone is no reason to warn: a batch may wait for a window at any end.
func lowerBounds(p *results.Point) results.Warning {
	from := p.LatencyLowerBoundFrom
	if p.UnansweredOps > 0 {
		return unansweredBound(p)
	}
	if from == 0 || from == 100 {
		return results.Warning{}
	}
	return results.LowerBounds.Warn("%d operations were due in the measurement "+
		"period and never sent. They count with their age at the end of the load, so the "+
		"latencies from the intended send are lower bounds from p%g on", p.UnsentOps, from)
}

// scheduleLate warns of latencies that are the client's own doing to a good part.
func scheduleLate(p *results.Point, s summed) results.Warning {
	for _, q := range []struct {
		name         string
		beyond       float64
		lag, latency int64
	}{
		{"p50", 0.5, p.ClientLag.P50Ns, p.P50Ns},
		{"p99", 0.01, p.ClientLag.P99Ns, p.P99Ns},
		{"p99.9", 0.001, p.ClientLag.P999Ns, p.P999Ns},
	} {
		if float64(s.groups)*q.beyond < beyondWanted {
			break
		}
		if float64(q.lag) > lagShare*float64(q.latency) {
			return results.ScheduleLate.Warn("found a %s of %s in the client's own delay of "+
				"batches, allowed: a tenth of that of the latency, %s. The longest delay was %s. "+
				"%s", q.name, numfmt.Nanoseconds(float64(q.lag)),
				numfmt.Nanoseconds(float64(q.latency)),
				numfmt.Nanoseconds(float64(p.ClientLag.MaxNs)), whyLate(p))
		}
	}
	return results.Warning{}
}

func whyLate(p *results.Point) string {
	if p.Compute > 0 {
		return fmt.Sprintf("A batch waits while its thread computes %s for the one before: offer "+
			"a lower rate, or use more threads", numfmt.Duration(time.Duration(p.Compute)))
	}
	return "The client lacks CPU time: give its threads CPUs of their own"
}

func scheduleHeld(s summed) results.Warning {
	if float64(s.heldGroups) <= float64(s.groups)*heldShare {
		return results.Warning{}
	}
	why := "the windows were full"
	if s.reconnects.count > 0 {
		why += ", or connections reopened"
	}
	return results.ScheduleHeld.Warn("%d of %d batches left more than %s late because "+
		"%s, the latest by %s. The server or the path is too slow, or the window too small",
		s.heldGroups, s.groups, numfmt.Duration(heldAfter), why,
		numfmt.Nanoseconds(float64(s.maxHeldNs)))
}

// tooShort warns of the lowest percentile whose interval has no high end. Without intervals, it
// counts batches: the operations of a batch are answered together, so they make a percentile no
// more certain.
func tooShort(i *results.LatencyInterval, s summed) results.Warning {
	for _, m := range results.LatencyMetrics() {
		beyond := float64(s.samples) * (1 - m.Percentile/100)
		switch {
		case m.TooShort == "":
		case m.OpenEnd(i):
			return m.TooShort.Warn("too short for %s: its interval has no high end, since the "+
				"answers beyond it are few or crowd in a part of the measurement period", m.Shown())
		case i.Sections == 0 && beyond < beyondWanted:
			return m.TooShort.Warn("too short for %s: %d batches were answered in the measurement "+
				"period, %.1f of them beyond it (%.0f are needed)",
				m.Shown(), s.samples, beyond, beyondWanted)
		}
	}
	return results.Warning{}
}

func clamped(s summed) results.Warning {
	if s.clamped == 0 {
		return results.Warning{}
	}
	return results.OutOfRange.Warn(
		"%d latencies were outside the histograms' range of %s to %s. They count "+
			"as its nearer end",
		s.clamped, numfmt.Duration(results.HistogramLowestNs),
		numfmt.Duration(time.Duration(results.HistogramHighestNs)))
}

func retried(p *results.Point, s summed) results.Warning {
	if s.traffic.Retries == 0 {
		return results.Warning{}
	}
	return results.LostPackets.Warn(
		"requests sent again: %d in the measurement period, of %d answered. Their "+
			"latency includes the wait for the lost or late answer",
		s.traffic.Retries, p.Ops)
}

// packetLoss warns of a network that did not carry every packet at the first try.
func packetLoss(p *results.Point) results.Warnings {
	s := &p.ClientMovedWindow.Sockets
	return results.Warnings{
		s.ResentWarning("client", "in the measurement period"),
		outOfOrder(s),
	}
}

// outOfOrder reports the lost packets on the way to the client, as far as the client sees them. A
// packet that is retransmitted before the next one leaves is invisible to the client. Only the
// server knows of it.
func outOfOrder(s *results.Packets) results.Warning {
	share, over := s.Over(s.OutOfOrderPackets, s.ReceivedDataPackets)
	if !over {
		return results.Warning{}
	}
	return results.LostPackets.Warn(
		"the network lost or reordered the server's packets: %d of %d that the "+
			"client received in the measurement period (%.2g %%, limit %.2g %%) overtook an "+
			"earlier one. Look for drops and errors on the path (ip -s link, ethtool -S)",
		s.OutOfOrderPackets, s.ReceivedDataPackets, 100*share, 100*results.LostShare)
}

// disturbed warns of CPUs that others used for a good part of the time, unless the server shares
// its CPUs on purpose.
func disturbed(p *results.Point, shared bool) (warnings results.Warnings) {
	for _, side := range []struct {
		name             string
		programs, stolen float64
	}{
		{"server", p.ServerOthersShare, p.ServerStolenShare},
		{"client", p.ClientOthersShare, p.ClientStolenShare},
	} {
		if side.programs > results.OthersShare && !(shared && side.name == "server") {
			warnings = append(warnings,
				results.Disturbed.Warn("other programs used %.0f %% of the time of the %s's CPUs "+
					"(limit: %.0f %%). End them, or give the %[2]s CPUs of its own",
					100*side.programs, side.name, 100*results.OthersShare))
		}
		if side.stolen > results.OthersShare {
			warnings = append(warnings,
				results.Disturbed.Warn("the hypervisor withheld %.0f %% of the time of the %s's "+
					"CPUs (limit: %.0f %%). End its other machines, or measure without it",
					100*side.stolen, side.name, 100*results.OthersShare))
		}
	}
	return warnings
}
