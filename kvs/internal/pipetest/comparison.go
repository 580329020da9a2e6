package pipetest

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// Tool is a foreign load client.
type Tool struct {
	Name string
	// Args returns the arguments for a number of connections and a run of about three seconds.
	Args func(connections int) []string
	// Rate finds the operations per second in the tool's output.
	Rate func(out []byte) (float64, error)
}

// Program returns the tool's path, with a CPU for the server and one for the client: the first and
// the last. It skips the benchmark if any of the three is missing.
func (t Tool) Program(b *testing.B) (path string, server, client int) {
	path, err := exec.LookPath(t.Name)
	if err != nil {
		b.Skip(err)
	}
	cpus, err := cpu.Allowed()
	if err != nil || len(cpus) < 2 {
		b.Skipf("a server and a client need a CPU each: found %v (%v)", cpus, err)
	}
	return path, cpus[0], cpus[len(cpus)-1]
}

// Load runs a load once from one CPU, and reports its metrics.
type Load func(b *testing.B, on int)

// Beside runs the same load with this project's client and with a tool, over the same number of
// connections and from the same CPU. load runs this project's client once: it asks for keys that
// both have stored, and reports its metrics. While the server is the bottleneck, throughput and the
// server's cost per operation should differ by less than 10 %.
func Beside(b *testing.B, r kvs.Remote, connections int, load Load, t Tool) {
	program, _, on := t.Program(b)
	b.Run(fmt.Sprintf("connections=%d/by=dpukv", connections), func(b *testing.B) {
		for b.Loop() {
			load(b, on)
		}
	})
	b.Run(fmt.Sprintf("connections=%d/by=%s", connections, t.Name), func(b *testing.B) {
		for b.Loop() {
			t.load(b, r, program, connections, on)
		}
	})
}

// load runs the tool once.
func (t Tool) load(b *testing.B, r kvs.Remote, program string, connections, on int) {
	before := must.Get(r.Stats())(b)
	args := append([]string{"-c", strconv.Itoa(on), program}, t.Args(connections)...)
	out, err := exec.CommandContext(b.Context(), "taskset", args...).Output()
	if err != nil {
		b.Fatalf("taskset %q: %v", args, err)
	}
	after := must.Get(r.Stats())(b)
	rate, err := t.Rate(out)
	if err != nil {
		b.Fatalf("%s says %q: %v", t.Name, out, err)
	}
	b.ReportMetric(float64(after.CPUNs-before.CPUNs)/float64(after.Ops()-before.Ops()),
		"server-cpu-ns/op")
	b.ReportMetric(rate/1e6, "Mops")
}
