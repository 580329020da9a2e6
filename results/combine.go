package results

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// Client is what one of several clients that ran at once tells of their point.
type Client struct {
	Node   Node
	Kernel string // names the machine: clients with the same one share its CPUs and its energy
	Point  *Point
	Hlog   []byte // log of its histograms
}

// Combine makes one point of all clients' points, and one log of their histograms. What becomes of
// a field says its rule in [rules]; the fields apart are computed here. It changes no client's
// point.
func Combine(clients []Client) (p *Point, hlog []byte, err error) {
	clients = withoutEachOther(clients)
	points := make([]*Point, len(clients))
	for i := range clients {
		points[i] = clients[i].Point
	}
	if len(clients) == 1 {
		p = new(*points[0])
		p.Clients, _ = shares(clients)
		return p, clients[0].Hlog, nil
	}
	if err := sameTrace(clients); err != nil {
		return nil, nil, err
	}
	p, differ := combineFields(points)
	var busy Warnings
	p.Clients, busy = shares(clients)
	if hlog, err = combineLatencies(p, clients); err != nil {
		return nil, nil, err
	}
	// The periods that end with a client's requests or its part of a trace are not equally long.
	if p.Requests > 0 || p.Replays() {
		p.ThroughputOps = float64(p.Ops) / (float64(p.DurationNs) / 1e9)
	}
	combineInFlight(p, points)
	combineCPUs(p, clients)
	combineParts(p, points)
	combineServerCPU(p)
	combineStages(p, points)
	combineEnergy(p, clients)
	p.Warnings = slices.Concat(busy, differ)
	for i := range clients {
		for _, w := range points[i].Warnings {
			w.Text, w.Node = w.String(), clients[i].Node.Node
			p.Warnings = append(p.Warnings, w)
		}
	}
	return p, hlog, nil
}

// sameTrace refuses clients that replayed different files.
func sameTrace(clients []Client) error {
	sum := func(c *Client) string { return c.Point.TraceFile.SHA256 }
	for i := range clients {
		if a, b := &clients[0], &clients[i]; sum(a) != sum(b) {
			return fmt.Errorf("trace: found %s with SHA-256 %q on node %s and %q on node %s, "+
				"allowed: the same file on all clients; copy it again", a.Point.Trace, sum(a),
				a.Node.Node, sum(b), b.Node.Node)
		}
	}
	return nil
}

// allRules are those of metrics and of all other fields.
func allRules() (list []fieldRule) {
	for _, m := range metrics {
		if m.combine.rule != nil {
			list = append(list, m.combine)
		}
	}
	return append(list, rules...)
}

// combineFields applies the rules. It warns of fields that must be the same, and are not.
func combineFields(points []*Point) (p *Point, differ Warnings) {
	p = new(*points[0])
	for _, f := range allRules() {
		for name := range strings.FieldsSeq(f.fields) {
			field := func(p *Point) reflect.Value {
				return reflect.ValueOf(p).Elem().FieldByName(name)
			}
			value, err := f.rule(points, func(p *Point) any { return field(p).Interface() })
			if err != nil {
				differ = append(differ, ReadWarning(fmt.Sprintf("the clients differ in %s: found "+
					"%v. The point has the first one's", jsonName(name), err)))
			}
			field(p).Set(reflect.ValueOf(value))
		}
	}
	return p, differ
}

func jsonName(field string) string {
	f, _ := reflect.TypeFor[Point]().FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// share returns what the point keeps of a client.
func (c *Client) share() ClientShare {
	p := c.Point
	return ClientShare{
		Node: c.Node, CPUs: p.ClientCPUs, Threads: p.ClientThreads, RateOps: p.RateOps,
		Ops: p.Ops, ThroughputOps: p.ThroughputOps, Latency: p.Latency,
		CPUNsPerOp: p.ClientCPUNsPerOp, CPUShare: p.ClientCPUShare, BusyShare: p.ClientBusyShare,
		Lag: p.ClientLag, HashShare: p.ClientHashShare,
		Moved: p.ClientMoved, MovedLoad: p.ClientMovedLoad,
	}
}

// combineLatencies returns the histogram log of all clients, and fills in the latencies from it.
func combineLatencies(p *Point, clients []Client) (hlog []byte, err error) {
	var recordings []Recording
	beyond := true
	for i := range clients {
		c := &clients[i]
		intervals, err := DecodeHlog(c.Hlog)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", c.Node.Node, err)
		}
		recordings = append(recordings, Recording{c.Point.StartedAt, intervals})
		beyond = beyond && c.Point.P9999Ns > 0
	}
	agreeOnKinds(recordings, clients)
	intervals, err := MergeIntervals(recordings...)
	if err != nil {
		return nil, err
	}
	intended, err1 := MergeTag(intervals, TagIntended)
	actual, err2 := MergeTag(intervals, TagActual)
	unsent, err3 := MergeTag(intervals, TagUnsent)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	p.Latency, p.Actual = LatencyOf(intended), LatencyOf(actual)
	if beyond {
		p.Latency, p.Actual = p.Latency.WithP9999(intended), p.Actual.WithP9999(actual)
	}
	p.LatencyLowerBoundFrom = LowerBoundFrom(intended, unsent)
	p.LatencyInterval = LatencyIntervalOf(intervals, TagIntended)
	p.ActualInterval = LatencyIntervalOf(intervals, TagActual)
	p.ByOp, p.HitRateInterval = ByOpOf(intervals), HitRateIntervalOf(intervals)
	return EncodeHlog(intervals)
}

// combineInFlight takes all clients' windows together.
func combineInFlight(p *Point, points []*Point) {
	p.InFlightMean, p.InFlightShare = 0, 0
	windows := 0.0
	for _, of := range points {
		if of.InFlightShare == 0 {
			return // an open loop, or nothing was answered
		}
		windows += of.InFlightMean / of.InFlightShare
	}
	p.InFlightMean = p.LittlesLaw()
	p.InFlightShare = p.InFlightMean / windows
}

// combineCPUs divides the clients' CPU time by that of their CPUs. Two on one CPU share it.
func combineCPUs(p *Point, clients []Client) {
	p.ClientCPUs, p.ClientCPUShare, p.ClientBusyShare = nil, 0, 0
	for i := range clients {
		of := clients[i].Point
		p.ClientCPUs = append(p.ClientCPUs, of.ClientCPUs...)
		p.ClientCPUShare += of.ClientCPUShare * float64(len(of.ClientCPUs))
		p.ClientBusyShare += of.ClientBusyShare * float64(len(of.ClientCPUs))
	}
	slices.Sort(p.ClientCPUs)
	p.ClientCPUs = slices.Compact(p.ClientCPUs)
	had := float64(max(countCPUs(clients), 1))
	p.ClientCPUShare, p.ClientBusyShare = p.ClientCPUShare/had, p.ClientBusyShare/had
}

// ofClientsCPUs is the warning of other programs on a client's CPUs.
var ofClientsCPUs = regexp.MustCompile(`other programs used .* of the client's CPUs`)

// withoutEachOther takes the clients' CPU time out of what other programs used of each one's CPUs,
// and the warning that depends on it.
func withoutEachOther(clients []Client) []Client {
	list := slices.Clone(clients)
	for i := range list {
		of, siblings := list[i].Point, 0.0 // of the time of one CPU
		for j := range clients {
			if j == i || clients[j].Kernel != clients[i].Kernel {
				continue
			}
			for _, c := range clients[j].Point.ClientCPUs {
				if slices.Contains(of.ClientCPUs, c) {
					siblings += clients[j].Point.ClientCPUShare
				}
			}
		}
		if siblings == 0 {
			continue
		}
		p := *of
		p.ClientOthersShare -= siblings / float64(len(of.ClientCPUs))
		p.ClientOthersShare = max(p.ClientOthersShare, 0)
		if p.ClientOthersShare <= OthersShare {
			p.Warnings = slices.DeleteFunc(slices.Clone(of.Warnings), func(w Warning) bool {
				return w.Kind == Disturbed && ofClientsCPUs.MatchString(w.Text)
			})
		}
		list[i].Point = &p
	}
	return list
}

// countCPUs counts the clients' CPUs, each once.
func countCPUs(clients []Client) int {
	type place struct {
		kernel string
		cpu    int
	}
	seen := map[place]bool{}
	for i := range clients {
		for _, cpu := range clients[i].Point.ClientCPUs {
			seen[place{clients[i].Kernel, cpu}] = true
		}
	}
	return len(seen)
}

// shares returns what the point keeps of each client. It warns of several busy clients on the same
// CPUs, which no client sees itself. The time that they spin counts as idle, as for one client.
func shares(clients []Client) (list []ClientShare, busy Warnings) {
	for i := range clients {
		list = append(list, clients[i].share())
	}
	groups := cpu.Groups(len(clients), func(i, j int) bool {
		return clients[i].Kernel == clients[j].Kernel &&
			slices.ContainsFunc(list[i].CPUs, func(c int) bool {
				return slices.Contains(list[j].CPUs, c)
			})
	})
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		var names []string
		var cpus []int
		sum := 0.0
		for _, i := range g {
			names = append(names, list[i].Node.Node)
			cpus = append(cpus, list[i].CPUs...)
			sum += list[i].BusyShare * float64(len(list[i].CPUs))
		}
		slices.Sort(cpus)
		share := sum / float64(len(slices.Compact(cpus)))
		for _, i := range g {
			list[i].BusyShare = share
		}
		if share > BusyShare {
			busy = append(busy, ClientBound.Warn("the threads of the clients %s were together "+
				"busy for %.0f %% of the time of the CPUs that they share (limit: %.0f %%). %s",
				strings.Join(names, " and "), 100*share, 100*BusyShare, ClientsLimit))
		}
	}
	return list, busy
}

// combineParts computes the means of the parts' CPU times. The applications' is the clients', and
// the others are the server's, which each client tells. A time without work that one client does
// not know is unknown. A client without parts does not believe the server's counters.
func combineParts(p *Point, points []*Point) {
	if slices.ContainsFunc(points, func(p *Point) bool { return len(p.Parts) == 0 }) {
		p.Parts = nil
		return
	}
	p.Parts = slices.Clone(p.Parts)
	for i := range p.Parts {
		part := &p.Parts[i]
		weight := alike
		if part.Part == kvs.PartApplication {
			weight = ops
		}
		cpuNs := func(p *Point) float64 { return p.PartOf(part.Part).CPUNsPerOp }
		spunNs := func(p *Point) float64 { return p.PartOf(part.Part).SpunNsPerOp }
		unknown := func(p *Point) bool { return spunNs(p) == 0 }
		part.CPUNsPerOp = mean(points, cpuNs, weight)
		if part.SpunNsPerOp = 0; !slices.ContainsFunc(points, unknown) {
			part.SpunNsPerOp = mean(points, spunNs, weight)
		}
	}
}

// combineStages splits the merged latency. The server's part is the same for all but for the times
// of the samples. Without the stages of all clients there are none.
func combineStages(p *Point, points []*Point) {
	p.Stages = Stages{}
	if slices.ContainsFunc(points, func(p *Point) bool { return p.Stages == Stages{} }) {
		return
	}
	queueNs := mean(points, func(p *Point) float64 { return p.Stages.ClientQueueNs }, ops)
	serverNs := mean(points, func(p *Point) float64 { return p.Stages.ServerResidenceNs }, alike)
	p.Stages = StagesOf(p, queueNs, serverNs)
}

// combineEnergy adds the energy of the clients' machines, each once. If one is unknown, so is the
// sum.
func combineEnergy(p *Point, clients []Client) {
	p.ServerEnergyUJPerOp, p.ServerEnergyBy = 0, ""
	p.ClientEnergyUJPerOp, p.ClientEnergyBy = 0, ""
	uj := map[string]float64{}
	known := p.Ops > 0
	var by []string
	for i := range clients {
		of := clients[i].Point
		known = known && of.ClientEnergyUJPerOp > 0
		kernel := clients[i].Kernel
		uj[kernel] = max(uj[kernel], of.ClientEnergyUJPerOp*float64(of.Ops))
		by = append(by, of.ClientEnergyBy)
		if of.ServerEnergyUJPerOp > p.ServerEnergyUJPerOp {
			p.ServerEnergyUJPerOp, p.ServerEnergyBy = of.ServerEnergyUJPerOp, of.ServerEnergyBy
		}
	}
	if !known {
		return
	}
	for _, kernel := range slices.Sorted(maps.Keys(uj)) {
		p.ClientEnergyUJPerOp += uj[kernel] / float64(p.Ops)
	}
	p.ClientEnergyBy = words("; ")(by)
}

// combineServerCPU divides the server's CPU time by the operations of all clients, where each knows
// only those that it has done without the server, its own.
func combineServerCPU(p *Point) {
	if p.Items == nil {
		return
	}
	cpuNs := p.ServerCPUShare * float64(p.ServerThreads) * float64(p.DurationNs)
	if p.ServerCPUNsPerOp > 0 {
		p.ServerCPUNsPerOp = ratio(cpuNs, float64(p.Ops))
	}
	for i := range p.Parts {
		if p.Parts[i].Part == kvs.PartServer {
			p.Parts[i].CPUNsPerOp = p.ServerCPUNsPerOp
		}
	}
}
