package results

import (
	"slices"
	"strconv"

	"dpukv/internal/numfmt"
)

// metrics are all figures of points, in the order in which readers show them.
var metrics = slices.Concat([]*Metric{Throughput}, latencies(false), latencies(true), []*Metric{
	{
		Name: "server_cpu_ns_per_op", Short: "server_cpu", Title: "server CPU time per operation",
		Unit: NsPerOp, Of: func(p *Point) float64 { return p.ServerCPUNsPerOp },
		Compared: true, Limited: true, Bench: "server-cpu-ns/op",
		// one client that doubts the counters suffices
		combine: fieldRule{known(meanBy(alike)), "ServerCPUNsPerOp"},
		Column:  &Column{Head: [2]string{"server", "CPU ns/op"}, Spare: 1, Plain: true},
	},
	{
		Name: "client_cpu_ns_per_op", Short: "client_cpu", Title: "client CPU time per operation",
		Unit: NsPerOp, Of: func(p *Point) float64 { return p.ClientCPUNsPerOp },
		Compared: true, Limited: true, Bench: "client-cpu-ns/op",
		combine: fieldRule{meanBy(ops), "ClientCPUNsPerOp"},
		Column:  &Column{Head: [2]string{"client", "CPU ns/op"}, Spare: 4, Plain: true},
	},
	HostCPU,
	DPUCPU,
	HitRate,
	{
		Name: "misses", Short: "misses", Title: "share of GETs that miss", Unit: Share,
		Of:      func(p *Point) float64 { return float64(p.Misses) / float64(p.Gets) },
		Has:     func(p *Point) bool { return p.Gets > 0 },
		Limited: true,
	},
	{
		Name: "errors", Short: "errors", Title: "share of errors and timeouts", Unit: Share,
		Of: errorShare, Has: func(p *Point) bool { return p.Ops+p.Errors+p.Timeouts > 0 },
		Limited: true,
		Column:  &Column{Head: [2]string{"errors"}, Total: countErrors, Label: "errors %s"},
	},
	{
		Name: "overlap_percent", Short: "overlap", Title: "overlap with computation",
		Unit: Percent, Higher: true, Of: func(p *Point) float64 { return p.Overlap.Percent },
		Has: computes, Column: &Column{Head: [2]string{"overlap", "%"}, Plain: true, If: computes},
	},
	{
		Name: "server_energy_uj_per_op", Short: "server_energy",
		Title: "energy of the server's machine per operation", Unit: UJPerOp,
		Of: func(p *Point) float64 { return p.ServerEnergyUJPerOp },
	},
	{
		Name: "client_energy_uj_per_op", Short: "client_energy",
		Title: "energy of the clients' machines per operation", Unit: UJPerOp,
		Of: func(p *Point) float64 { return p.ClientEnergyUJPerOp },
		// on one machine, the server's is the same
		Has: func(p *Point) bool { return p.ClientEnergyUJPerOp > 0 && len(p.Hosts) > 1 },
	},
	{
		Name: "client_hash_share", Short: "hash_share", Title: "hash share", Unit: Share,
		Of:      func(p *Point) float64 { return p.ClientHashShare },
		combine: fieldRule{meanBy(clientNs), "ClientHashShare"},
	},
	opsPerCoreS(KindHost), opsPerCoreS(KindDPU),
})

// Throughput is in operations a second.
var Throughput = &Metric{
	Name: "throughput_ops", Short: "throughput", Title: "throughput", Unit: OpsPerS, Higher: true,
	Of:       func(p *Point) float64 { return p.ThroughputOps },
	Compared: true, Limited: true, Bench: "ops/s",
	Column:  &Column{Head: [2]string{"throughput", "Mops"}},
	combine: fieldRule{typed(sum[float64]), "ThroughputOps"},
}

// HostCPU and DPUCPU are the CPU times of both sides by the kind of machine.
var (
	HostCPU = &Metric{
		Name: "host_cpu_ns_per_op", Short: "host_cpu", Title: "host CPU time per operation",
		Unit: NsPerOp, Of: (*Point).HostCPUNsPerOp, Has: tellsMachines, Limited: true,
		Column: &Column{Head: [2]string{"hosts", "CPU ns/op"}, Plain: true, If: onDPU},
	}
	DPUCPU = &Metric{
		Name: "dpu_cpu_ns_per_op", Short: "dpu_cpu", Title: "DPU CPU time per operation",
		Unit: NsPerOp, Of: (*Point).DPUCPUNsPerOp, Has: tellsMachines,
		Column: &Column{Head: [2]string{"DPUs", "CPU ns/op"}, Plain: true, If: onDPU},
	}
)

// tellsMachines reports whether a point tells the machines of its CPU times. With all parts on
// DPUs, hosts have a known 0.
func tellsMachines(p *Point) bool { return p.HostCPUNsPerOp()+p.DPUCPUNsPerOp() > 0 }

func onDPU(p *Point) bool { return p.DPUCPUNsPerOp() > 0 }

func computes(p *Point) bool { return p.Compute > 0 }

// HitRate is the share of GETs that hit.
var HitRate = &Metric{
	Name: "hit_rate_percent", Short: "hit_rate", Title: "hit rate", Unit: Percent, Higher: true,
	Of:     func(p *Point) float64 { return 100 * p.HitRate() },
	Has:    func(p *Point) bool { return p.MayMiss() && p.Gets > 0 },
	Column: &Column{Head: [2]string{"hits", "%"}, Total: hitsPercent, Label: "hits %s %%"},
}

// latencies are the figures of the latency from the actual or the intended send.
func latencies(actual bool) []*Metric {
	list := []*Metric{
		{
			Short: "mean", Title: "mean latency", Percentile: 99.9,
			of: func(l Latency) float64 { return l.MeanNs },
		},
		{
			Short: "p50", Title: "median latency", Percentile: 50, Column: &Column{},
			of:   func(l Latency) float64 { return float64(l.P50Ns) },
			ends: func(i *LatencyInterval) (low, high int64) { return i.P50LoNs, i.P50HiNs },
		},
		{
			Short: "p95", Title: "p95 latency", Percentile: 95, Column: &Column{Spare: 5},
			of:       func(l Latency) float64 { return float64(l.P95Ns) },
			ends:     func(i *LatencyInterval) (low, high int64) { return i.P95LoNs, i.P95HiNs },
			TooShort: TooShort,
		},
		{
			Short: "p99", Title: "p99 latency", Percentile: 99, Column: &Column{},
			of:       func(l Latency) float64 { return float64(l.P99Ns) },
			ends:     func(i *LatencyInterval) (low, high int64) { return i.P99LoNs, i.P99HiNs },
			TooShort: TooShortP99,
		},
		{
			Short: "p999", Title: "p99.9 latency", Percentile: 99.9, Column: &Column{Spare: 2},
			of:       func(l Latency) float64 { return float64(l.P999Ns) },
			ends:     func(i *LatencyInterval) (low, high int64) { return i.P999LoNs, i.P999HiNs },
			TooShort: TooShortP999,
		},
		{
			Short: "max", Title: "maximum latency", Percentile: 100,
			of: func(l Latency) float64 { return float64(l.MaxNs) },
		},
	}
	for _, m := range list {
		m.Name, m.Unit, m.Compared, m.Limited = "latency_"+m.Short+"_ns", Ns, true, true
		if actual {
			m.Name, m.Short = actualPrefix+m.Name, actualPrefix+m.Short
			m.Title += " from the actual send"
			m.Of, m.Column = func(p *Point) float64 { return m.of(p.Actual) }, nil
			continue
		}
		m.Of, m.Bench = func(p *Point) float64 { return m.of(p.Latency) }, m.Short+"-ns"
		if m.Column != nil {
			m.Column.Head = [2]string{m.Shown(), "µs"}
		}
	}
	return list
}

func opsPerCoreS(kind string) *Metric {
	return &Metric{
		Name: kind + "_ops_per_core_s", Short: kind + "_ops_per_core_s",
		Title: "operations per busy core-second of the " + kind, Unit: OpsPerS, Higher: true,
		Of: func(p *Point) float64 { return p.OpsPerCoreS(kind) }, Reported: true,
	}
}

// errorShare is the share of operations with an error, or without an answer in time.
func errorShare(p *Point) float64 {
	bad := float64(p.Errors + p.Timeouts)
	return bad / (float64(p.Ops) + bad)
}

func countErrors(repeats []*Point) string {
	errors := uint64(0)
	for _, p := range repeats {
		errors += p.Errors + p.Timeouts
	}
	return strconv.FormatUint(errors, 10)
}

// hitsPercent is the share of hits of all repeats.
func hitsPercent(repeats []*Point) string {
	hits, gets := uint64(0), uint64(0)
	for _, p := range repeats {
		hits, gets = hits+p.Hits, gets+p.Gets
	}
	return numfmt.PercentOf(hits, gets)
}
