package pipetest

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/kvs"
)

// Tool is somebody else's load client.
type Tool struct {
	Name string
	// Args are those of the program for so many connections, a run of about three seconds.
	Args func(connections int) []string
	// Rate finds the operations a second in what it printed.
	Rate func(out []byte) (float64, error)
}

// Program is where a tool is installed, with a CPU for the server and one for the client: the first
// and the last. The benchmark is skipped where one of the three is missing.
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

// Load is one run of a load from one CPU, which reports its metrics.
type Load func(b *testing.B, on int)

// Beside puts the same load on a server by this project's client and by a tool: over so many
// connections, from the same CPU. load is one run of this project's client, which asks for keys
// that both have stored, and reports its metrics. The throughput and the server's cost an operation
// should differ by less than 10 % while the server is what is busy.
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

// load is one run of the tool.
func (t Tool) load(b *testing.B, r kvs.Remote, program string, connections, on int) {
	before, err := r.Stats()
	if err != nil {
		b.Fatal(err)
	}
	args := append([]string{"-c", strconv.Itoa(on), program}, t.Args(connections)...)
	out, err := exec.CommandContext(b.Context(), "taskset", args...).Output()
	if err != nil {
		b.Fatalf("taskset %q: %v", args, err)
	}
	after, err := r.Stats()
	if err != nil {
		b.Fatal(err)
	}
	rate, err := t.Rate(out)
	if err != nil {
		b.Fatalf("%s says %q: %v", t.Name, out, err)
	}
	b.ReportMetric(float64(after.CPUNs-before.CPUNs)/float64(after.Ops()-before.Ops()), "server-cpu-ns/op")
	b.ReportMetric(rate/1e6, "Mops")
}
