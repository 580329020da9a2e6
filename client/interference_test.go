package client

import (
	"math"
	"strings"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
	"dpukv/results"
)

// TestInterrupts: the time of interrupts is a share of its own on either side. It counts for no program.
func TestInterrupts(t *testing.T) {
	at := func(nowNs, client, server int64) *sample {
		return &sample{
			nowNs: nowNs, cpus: cpu.Occupied{ProgramsNs: 1, InterruptsNs: client},
			server: kvs.Stats{CPUs: cpu.Occupied{ProgramsNs: 1, InterruptsNs: server}},
		}
	}
	p := results.Point{Used: results.Used{ServerCPUs: []int{0, 1}, ClientCPUs: []int{3}}}
	new(loadRun).interference(&p, at(0, 10, 10), at(1000, 260, 410))
	if p.ClientInterruptShare != 0.25 || p.ServerInterruptShare != 0.2 || p.ClientOthersShare != 0 {
		t.Errorf("got %v and %v, want 0.25 and 0.2", p.ClientInterruptShare, p.ServerInterruptShare)
	}
}

func TestInterference(t *testing.T) {
	sampleOf := func(nowNs, clientNs, clientAll, serverNs, serverAll, stolen int64) sample {
		return sample{
			nowNs: nowNs, processNs: clientNs, cpus: cpu.Occupied{ProgramsNs: clientAll},
			server: kvs.Stats{CPUNs: serverNs, CPUs: cpu.Occupied{ProgramsNs: serverAll, StolenNs: stolen}},
		}
	}
	for _, c := range []struct {
		name       string
		begin, end sample
		want       [4]float64 // the server's, then the client's
		warnings   []string
	}{
		{"alone", sampleOf(0, 10, 10, 10, 10, 0), sampleOf(1000, 510, 510, 1910, 1910, 0), [4]float64{}, nil},
		{
			"a program at the server", sampleOf(0, 10, 10, 10, 10, 0), sampleOf(1000, 510, 510, 910, 1910, 0),
			[4]float64{0.5, 0, 0, 0},
			[]string{"other programs used 50 % of the time of the server's CPUs"},
		},
		{
			"a program at the client", sampleOf(0, 10, 10, 10, 10, 0), sampleOf(1000, 510, 910, 910, 910, 0),
			[4]float64{0, 0, 0.4, 0},
			[]string{"used 40 % of the time of the client's CPUs"},
		},
		{
			"a little", sampleOf(0, 10, 10, 10, 10, 0), sampleOf(1000, 510, 610, 910, 1110, 200),
			[4]float64{0.1, 0.1, 0.1, 0},
			nil,
		},
		{
			"a hypervisor", sampleOf(0, 10, 10, 10, 10, 5), sampleOf(1000, 510, 510, 910, 910, 605),
			[4]float64{0, 0.3, 0, 0},
			[]string{"the hypervisor withheld 30 % of the time of the server's CPUs"},
		},
		{
			"ticks that found another", sampleOf(0, 10, 10, 10, 10, 0), sampleOf(1000, 510, 400, 910, 800, 0),
			[4]float64{},
			nil,
		},
		{"not known", sampleOf(0, 10, 0, 10, 0, 0), sampleOf(1000, 510, 0, 910, 900, 0), [4]float64{}, nil},
	} {
		p := results.Point{Used: results.Used{ServerCPUs: []int{0, 1}, ClientCPUs: []int{3}}}
		new(loadRun).interference(&p, &c.begin, &c.end)
		if got := [4]float64{
			p.ServerOthersShare, p.ServerStolenShare, p.ClientOthersShare,
			p.ClientStolenShare,
		}; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		got := disturbed(&p, false)
		if len(got) != len(c.warnings) || len(got) > 0 && !strings.Contains(got[0].Text, c.warnings[0]) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.warnings)
		}
		for _, w := range disturbed(&p, true) {
			if strings.Contains(w.Text, "other programs") && strings.Contains(w.Text, "the server's CPUs") {
				t.Errorf("%s: %q of CPUs that the server shares on purpose", c.name, w)
			}
		}
	}
}

// TestSpend checks the energy between two samples: the server's for its own operations, the client's
// scaled to the measurement period. What is unknown stays absent.
func TestSpend(t *testing.T) {
	at := func(ns int64, client, server uint64, ops uint64) *sample {
		counter := func(uj uint64) energy.Reading { return energy.Reading{{Name: "package-0", UJ: uj, RangeUJ: 1e12}} }
		s := sample{nowNs: ns, energy: counter(client)}
		s.server.Energy, s.server.Workers = counter(server), []kvs.WorkerStats{{Ops: ops}}
		return &s
	}
	begin, end := at(0, 0, 0, 0), at(2e9, 4000, 6000, 300)
	p := results.Point{Counted: results.Counted{Ops: 100, DurationNs: 1e9}}
	spend(&p, begin, end)
	if p.ServerEnergyUJPerOp != 20 || p.ClientEnergyUJPerOp != 20 || p.ServerEnergyBy != "rapl: package-0" ||
		p.ClientEnergyBy != "rapl: package-0" {
		t.Errorf("server %v by %q, client %v by %q, want 20 and 20", p.ServerEnergyUJPerOp, p.ServerEnergyBy,
			p.ClientEnergyUJPerOp, p.ClientEnergyBy)
	}
	begin.energy, end.server.Energy = nil, nil
	p = results.Point{Counted: results.Counted{Ops: 100, DurationNs: 1e9}}
	spend(&p, begin, end)
	if p.ServerEnergyUJPerOp != 0 || p.ClientEnergyUJPerOp != 0 || p.ServerEnergyBy+p.ClientEnergyBy != "" {
		t.Errorf("without counters: found %+v", p)
	}
}

// TestStrangersOfHalves checks that programs on the CPUs of either half are seen, and that a half on
// the CPUs of the other one is no stranger.
func TestStrangersOfHalves(t *testing.T) {
	at := func(engine, store kvs.PartStats) *kvs.Stats {
		engine.Part, store.Part = kvs.PartEngine, kvs.PartStore
		return &kvs.Stats{
			CPUNs: engine.CPUNs + store.CPUNs, CPUs: engine.CPUs,
			Parts: []kvs.PartStats{engine, store},
		}
	}
	part := func(machine string, ownNs, usedNs int64) kvs.PartStats {
		return kvs.PartStats{
			Machine: machine, CPUNs: ownNs, CPUs: cpu.Occupied{ProgramsNs: 1 + usedNs},
		}
	}
	for name, test := range map[string]struct {
		engine, store kvs.PartStats
		storeCPUs     []int
		want          float64
	}{
		"alone":             {part("a", 900, 900), part("b", 500, 500), []int{1}, 0},
		"at the engine":     {part("a", 500, 900), part("b", 500, 500), []int{1}, .4},
		"at the store half": {part("a", 900, 900), part("b", 200, 500), []int{1}, .3},
		"on the same CPU":   {part("a", 500, 900), part("a", 400, 900), []int{1}, 0},
		"beside each other": {part("a", 500, 900), part("a", 400, 900), []int{2}, .5},
	} {
		r := &loadRun{facts: kvs.Facts{CPUs: []int{1}, Lanes: &kvs.LaneFacts{CPUs: test.storeCPUs}}}
		begin := at(part(test.engine.Machine, 0, 0), part(test.store.Machine, 0, 0))
		got := r.atServer(begin, at(test.engine, test.store), 1000, 1)
		if math.Abs(got.programs-test.want) > 1e-9 {
			t.Errorf("%s: found %v, want %v", name, got.programs, test.want)
		}
	}
}
