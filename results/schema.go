package results

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dpukv/kvs"
	"dpukv/load"
)

// Validate reports everything in a point that contradicts itself or the schema. A failed point only
// needs its request and the reason of the failure.
func Validate(p *Point) error {
	var v violations
	v.named(p)
	if p.IsProbe() {
		v.probe(p)
	} else {
		v.asked(p)
	}
	if p.Status == StatusOK && !p.IsProbe() {
		v.counted(p)
		v.latency("latency", p.Latency)
		v.latency("actual latency", p.Actual)
		v.lag(p)
		v.interval("latency_interval", &p.LatencyInterval)
		v.interval("actual_interval", &p.ActualInterval)
		v.cost(p)
	}
	if len(v) == 0 {
		return nil
	}
	return fmt.Errorf("point %q: %w", p.ID, errors.Join(v...))
}

type violations []error

func (v *violations) check(ok bool, format string, args ...any) {
	if !ok {
		*v = append(*v, fmt.Errorf(format, args...))
	}
}

// named checks what every point has.
func (v *violations) named(p *Point) {
	v.check(p.Schema == SchemaVersion, "schema: found %d, allowed: %d", p.Schema, SchemaVersion)
	v.check(CheckID(p.ID) == nil, "id: found %q, which can't name a file", p.ID)
	v.check(p.Status == StatusOK || p.Status == StatusFailed, "status: found %q, allowed: %q, %q",
		p.Status, StatusOK, StatusFailed)
	v.check((p.Status == StatusFailed) == (p.Error != ""), "status: found %q with error "+
		"%q", p.Status,
		p.Error)
	empty := func(w Warning) bool { return w.Text == "" }
	v.check(!slices.ContainsFunc(p.Warnings, empty), "warnings: found an empty one")
}

func (v *violations) asked(p *Point) {
	v.check(p.Store != "", "store: found nothing")
	v.check(p.Placement != "", "placement: found nothing")
	v.within("get_ratio", p.GetRatio, 1)
	v.check(p.Repeat >= 1, "repeat: found %d, allowed: 1 or more", p.Repeat)
	v.check(p.RateOps >= 0 && !math.IsInf(p.RateOps, 0), "rate_ops: found %v, allowed: 0 or "+
		"more", p.RateOps)
	v.check(p.RateShare >= 0 && (p.RateShare == 0 || p.RateOps > 0),
		"rate_share: found %v with rate_ops %v, allowed: 0, or more with a rate", p.RateShare,
		p.RateOps)
	if !p.Replays() {
		v.atLeastOne("keys", p.Keys)
		v.atLeastOne("key_bytes", p.KeyBytes)
	}
	v.atLeastOne("batch", p.Batch)
	v.atLeastOne("window", p.Window)
	v.atLeastOne("connections", p.Connections)
	v.atLeastOne("server_threads", p.ServerThreads)
	v.atLeastOne("client_threads", p.ClientThreads)
	v.check(p.ValueBytes >= 0, "value_bytes: found %d, allowed: 0 or more", p.ValueBytes)
	v.sizes("key", p.KeySizes, &load.SizesOfKeys, p.KeyBytes)
	v.sizes("value", p.ValueSizes, &load.SizesOfValues, p.ValueBytes)
}

// sizes checks a distribution against the mean beside it.
func (v *violations) sizes(of string, sizes load.Sizes, kind *load.SizesOf, one int) {
	if sizes == "" {
		return
	}
	mean, same, err := kind.Parse(string(sizes))
	v.check(err == nil && same == sizes && mean == one,
		"%[1]s_sizes: found %[2]s with %[1]s_bytes %[3]d, allowed: a distribution with this mean",
		of, sizes, one)
}

// throughputTolerance allows for a measurement period that is not exactly DurationNs.
const throughputTolerance = 0.01

func (v *violations) counted(p *Point) {
	v.check(!p.StartedAt.IsZero(), "started_at: found nothing")
	v.check(p.Transport != "", "transport: found nothing")
	v.check(p.Emulated || p.EmulatedTestbed == "", "emulated: found false with the emulated "+
		"testbed %q",
		p.EmulatedTestbed)
	v.clients(p)
	v.check((p.Build != "") == (len(p.Builds) > 0), "build: found %q with the digests %v, "+
		"allowed: both, or none", p.Build, p.Builds)
	v.check(p.DurationNs > 0, "duration_ns: found %d, allowed: more than 0", p.DurationNs)
	v.check(p.CoolDownNs >= 0, "cool_down_ns: found %d, allowed: 0 or more", p.CoolDownNs)
	v.check(p.Ops > 0, "ops: found 0 in a point that is ok")
	v.check(p.Gets <= p.Ops, "gets: found %d of %d ops", p.Gets, p.Ops)
	// A get that was answered with an error is neither hit nor miss.
	answered := p.Hits + p.Misses
	v.check(answered <= p.Gets && p.Gets-answered <= p.Errors,
		"hits and misses: found %d and %d of %d gets, with %d "+
			"errors", p.Hits, p.Misses, p.Gets, p.Errors)
	if p.DurationNs > 0 {
		want := float64(p.Ops) / (float64(p.DurationNs) / 1e9)
		v.check(math.Abs(p.ThroughputOps-want) <= throughputTolerance*want,
			"throughput_ops: found %.0f, ops over duration_ns is %.0f", p.ThroughputOps, want)
	}
}

// clients checks that the clients' shares add up to the whole.
func (v *violations) clients(p *Point) {
	ops, rate := uint64(0), 0.0
	for i := range p.Clients {
		ops, rate = ops+p.Clients[i].Ops, rate+p.Clients[i].RateOps
	}
	v.check(len(p.Clients) == 0 || ops == p.Ops, "ops: found %d in the clients, %d in the "+
		"point", ops,
		p.Ops)
	v.check(len(p.Clients) == 0 || math.Abs(rate-p.RateOps) <= throughputTolerance*p.RateOps,
		"rate_ops: found %v in the clients, %v in the point", rate, p.RateOps)
}

func (v *violations) latency(name string, l Latency) {
	ordered := slices.IsSorted([]int64{l.P50Ns, l.P95Ns, l.P99Ns, l.P999Ns, l.MaxNs})
	v.check(ordered && l.P50Ns > 0, "%s: found %+v, allowed: percentiles that are positive and "+
		"ascending", name, l)
	v.check(l.P9999Ns == 0 || l.P999Ns <= l.P9999Ns && l.P9999Ns <= l.MaxNs, "%s: found a p99.99 "+
		"of %d ns, allowed: between p99.9 and the maximum", name, l.P9999Ns)
	v.check(l.MeanNs > 0 && l.MeanNs <= float64(l.MaxNs), "%s: found the mean %v, allowed: at "+
		"most the maximum, %d", name,
		l.MeanNs, l.MaxNs)
}

func (v *violations) lag(p *Point) {
	l := p.ClientLag
	v.check(slices.IsSorted([]int64{0, l.P50Ns, l.P99Ns, l.P999Ns, l.MaxNs}),
		"client_lag: found %+v, allowed: percentiles that are positive and ascending", l)
	v.within("latency_lower_bound_from", p.LatencyLowerBoundFrom, 100)
	law := p.LittlesLaw()
	v.check(p.InFlightMean == 0 || math.Abs(p.InFlightMean-law) <= throughputTolerance*law,
		"in_flight_mean: found %v, allowed: throughput × mean latency, %v", p.InFlightMean, law)
}

func (v *violations) interval(name string, i *LatencyInterval) {
	ordered := !slices.ContainsFunc(LatencyMetrics(), func(m *Metric) bool {
		low, high, _ := m.Ends(i)
		return low > high && !m.OpenEnd(i)
	})
	v.check(ordered, "%s: found %+v, allowed: no low end above its high end", name, *i)
}

func (v *violations) cost(p *Point) {
	// CPU time is read just outside the measurement period, so a share can be a little above 1.
	v.within("server_cpu_ns_per_op", p.ServerCPUNsPerOp, math.MaxFloat64)
	v.within("client_cpu_ns_per_op", p.ClientCPUNsPerOp, math.MaxFloat64)
	v.within("compute_cpu_ns_per_op", p.ComputeCPUNsPerOp, math.MaxFloat64)
	v.within("compute_mean_ns", p.ComputeMeanNs, math.MaxFloat64)
	v.within("overlap", p.Overlap.Percent, math.MaxFloat64)
	v.within("server_cpu_share", p.ServerCPUShare, math.MaxFloat64)
	v.within("client_cpu_share", p.ClientCPUShare, math.MaxFloat64)
	v.within("client_busy_share", p.ClientBusyShare, math.MaxFloat64)
	v.within("server_others_share", p.ServerOthersShare, math.MaxFloat64)
	v.within("server_stolen_share", p.ServerStolenShare, math.MaxFloat64)
	v.within("client_others_share", p.ClientOthersShare, math.MaxFloat64)
	v.within("client_stolen_share", p.ClientStolenShare, math.MaxFloat64)
	v.within("server_interrupt_share", p.ServerInterruptShare, math.MaxFloat64)
	v.within("client_interrupt_share", p.ClientInterruptShare, math.MaxFloat64)
	v.within("server_energy_uj_per_op", p.ServerEnergyUJPerOp, math.MaxFloat64)
	v.within("client_energy_uj_per_op", p.ClientEnergyUJPerOp, math.MaxFloat64)
	v.check((p.ServerEnergyUJPerOp > 0) == (p.ServerEnergyBy != "") &&
		(p.ClientEnergyUJPerOp > 0) == (p.ClientEnergyBy != ""),
		"energy_by: found %q and %q with %v and %v µJ an operation", p.ServerEnergyBy,
		p.ClientEnergyBy, p.ServerEnergyUJPerOp, p.ClientEnergyUJPerOp)
	v.neighbour(p)
	v.parts(p)
	v.within("client_hash_share", p.ClientHashShare, 1)
	v.within("client_hash_share_check", p.ClientHashShareCheck, 1)
	v.within("hit_value_bytes", p.HitValueBytes, math.MaxFloat64)
	v.within("preload_hit_rate", p.PreloadHitRate, 1)
}

// parts checks that the parts add up to the CPU time of the server and of the client. Of several
// clients, it checks each figure alone.
func (v *violations) parts(p *Point) {
	v.within("server_host_cpu_ns_per_op", p.ServerHostCPUNsPerOp, math.MaxFloat64)
	v.within("server_dpu_cpu_ns_per_op", p.ServerDPUCPUNsPerOp, math.MaxFloat64)
	v.within("client_host_cpu_ns_per_op", p.ClientHostCPUNsPerOp, math.MaxFloat64)
	v.within("client_dpu_cpu_ns_per_op", p.ClientDPUCPUNsPerOp, math.MaxFloat64)
	client, proxy, server := 0.0, 0.0, 0.0
	for i := range p.Parts {
		part := &p.Parts[i]
		v.within("parts: cpu_ns_per_op of "+part.Part, part.CPUNsPerOp, math.MaxFloat64)
		v.within("parts: spun_ns_per_op of "+part.Part, part.SpunNsPerOp,
			part.CPUNsPerOp*(1+sumTolerance))
		switch part.Part {
		case kvs.PartApplication:
			client += part.CPUNsPerOp
		case kvs.PartProxy:
			proxy += part.CPUNsPerOp
		case kvs.PartEngine, kvs.PartStore, kvs.PartServer:
			server += part.CPUNsPerOp
		default:
			v.check(false, "parts: found %q, allowed: %q", part.Part, partNames)
		}
	}
	if len(p.Parts) == 0 || len(p.Clients) > 1 {
		return
	}
	v.sum("parts of the client", client, p.ClientCPUNsPerOp)
	v.sum("parts of the server", server, p.ServerCPUNsPerOp)
	if host, dpu := p.ServerHostCPUNsPerOp, p.ServerDPUCPUNsPerOp; host+dpu > 0 {
		v.sum("parts of the server on hosts and DPUs", host+dpu, server)
	}
	if host, dpu := p.ClientHostCPUNsPerOp, p.ClientDPUCPUNsPerOp; host+dpu > 0 {
		v.sum("parts of the client on hosts and DPUs", host+dpu, client+proxy)
	}
}

// partNames are the values of [Part.Part].
var partNames = []string{
	kvs.PartApplication, kvs.PartProxy, kvs.PartEngine, kvs.PartStore, kvs.PartServer,
}

// sumTolerance allows for times that are read one after the other.
const sumTolerance = 0.01

func (v *violations) sum(what string, found, want float64) {
	v.check(math.Abs(found-want) <= sumTolerance*want, "%s: found %.1f ns of CPU time an "+
		"operation, allowed: %.1f, the CPU time of the whole", what, found, want)
}

// neighbour checks that a neighbour has CPUs and worked, and that without one there is no work.
func (v *violations) neighbour(p *Point) {
	v.within("neighbour_ops_per_s", p.NeighbourOpsPerS, math.MaxFloat64)
	v.within("neighbour_bytes_per_s", p.NeighbourBytesPerS, math.MaxFloat64)
	v.within("neighbour_cpu_share", p.NeighbourCPUShare, math.MaxFloat64)
	v.within("neighbour_switches_per_s", p.NeighbourSwitchesPerS, math.MaxFloat64)
	there := p.Neighbour != ""
	v.check(there == (p.NeighbourOpsPerS > 0) && there == (len(p.NeighbourCPUs) > 0) &&
		there == (p.NeighbourNode != ""),
		"neighbour: found %q with %v operations a second on CPUs %v of node %q, allowed: all of "+
			"them, or none", p.Neighbour, p.NeighbourOpsPerS, p.NeighbourCPUs,
		p.NeighbourNode)
}

func (v *violations) atLeastOne(name string, n int) {
	v.check(n >= 1, "%s: found %d, allowed: at least 1", name, n)
}

func (v *violations) within(name string, x, most float64) {
	v.check(x >= 0 && x <= most, "%s: found %v, allowed: 0 to %v", name, x, most)
}
