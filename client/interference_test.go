package client

import (
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
	p := results.Point{ServerCPUs: []int{0, 1}, ClientCPUs: []int{3}}
	new(runner).interference(&p, at(0, 10, 10), at(1000, 260, 410))
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
		p := results.Point{ServerCPUs: []int{0, 1}, ClientCPUs: []int{3}}
		new(runner).interference(&p, &c.begin, &c.end)
		if got := [4]float64{
			p.ServerOthersShare, p.ServerStolenShare, p.ClientOthersShare,
			p.ClientStolenShare,
		}; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		got := disturbed(&p, false)
		if len(got) != len(c.warnings) || len(got) > 0 && !strings.Contains(got[0], c.warnings[0]) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.warnings)
		}
		for _, w := range disturbed(&p, true) {
			if strings.Contains(w, "other programs") && strings.Contains(w, "the server's CPUs") {
				t.Errorf("%s: %q of CPUs that the server shares on purpose", c.name, w)
			}
		}
	}
}

// TestInterferenceOfHalves checks that a program on the CPUs of either half counts, and that the
// time of one half on the other's CPUs does not. The energy of halves is not known.
func TestInterferenceOfHalves(t *testing.T) {
	at := func(ns, engineNs, storeNs, engineAll, storeAll int64) *sample {
		return &sample{nowNs: ns, server: kvs.Stats{
			CPUNs: engineNs + storeNs, CPUs: cpu.Occupied{ProgramsNs: engineAll},
			Workers: []kvs.WorkerStats{{Ops: uint64(ns)}},
			Energy:  energy.Reading{{Name: "package-0", UJ: uint64(ns), RangeUJ: 1e12}},
			Parts: []kvs.PartStats{
				{Part: kvs.PartEngine, CPUNs: engineNs},
				{Part: kvs.PartStore, CPUNs: storeNs, CPUs: cpu.Occupied{ProgramsNs: storeAll}},
			},
		}}
	}
	for _, test := range []struct {
		name     string
		provider string
		stores   []int // CPUs
		end      *sample
		want     float64
	}{
		{"alone", "shm", []int{1}, at(1000, 300, 500, 301, 501), 0},
		{"beside the engine", "shm", []int{1}, at(1000, 300, 500, 801, 501), 0.5},
		{"beside the store", "shm", []int{1}, at(1000, 300, 500, 301, 901), 0.4},
		{"on one CPU", "shm", []int{0}, at(1000, 300, 500, 801, 801), 0},
		{"on CPUs of two machines", "ibverbs", []int{0}, at(1000, 300, 500, 301, 801), 0.3},
	} {
		r := new(runner)
		r.facts.CPUs = []int{0}
		r.facts.Lanes = &kvs.LaneFacts{Provider: test.provider, CPUs: test.stores}
		p := results.Point{ServerCPUs: []int{0}, ClientCPUs: []int{3}}
		begin := at(0, 0, 0, 1, 1)
		r.interference(&p, begin, test.end)
		if p.ServerOthersShare != test.want {
			t.Errorf("%s: %v, want %v", test.name, p.ServerOthersShare, test.want)
		}
		if spend(&p, begin, test.end); p.ServerEnergyUJPerOp != 0 || p.ServerEnergyBy != "" {
			t.Errorf("%s: %v µJ an operation by %q", test.name, p.ServerEnergyUJPerOp, p.ServerEnergyBy)
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
	p := results.Point{Ops: 100, DurationNs: 1e9}
	spend(&p, begin, end)
	if p.ServerEnergyUJPerOp != 20 || p.ClientEnergyUJPerOp != 20 || p.ServerEnergyBy != "rapl: package-0" ||
		p.ClientEnergyBy != "rapl: package-0" {
		t.Errorf("server %v by %q, client %v by %q, want 20 and 20", p.ServerEnergyUJPerOp, p.ServerEnergyBy,
			p.ClientEnergyUJPerOp, p.ClientEnergyBy)
	}
	begin.energy, end.server.Energy = nil, nil
	p = results.Point{Ops: 100, DurationNs: 1e9}
	spend(&p, begin, end)
	if p.ServerEnergyUJPerOp != 0 || p.ClientEnergyUJPerOp != 0 || p.ServerEnergyBy+p.ClientEnergyBy != "" {
		t.Errorf("without counters: found %+v", p)
	}
}
