package client

import (
	"strings"
	"testing"

	"dpukv/internal/cpu"
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
	interference(&p, at(0, 10, 10), at(1000, 260, 410))
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
		interference(&p, &c.begin, &c.end)
		if got := [4]float64{
			p.ServerOthersShare, p.ServerStolenShare, p.ClientOthersShare,
			p.ClientStolenShare,
		}; got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		got := disturbed(&p)
		if len(got) != len(c.warnings) || len(got) > 0 && !strings.Contains(got[0], c.warnings[0]) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.warnings)
		}
	}
}
