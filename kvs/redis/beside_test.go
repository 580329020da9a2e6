package redis

import (
	"encoding/csv"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/internal/cpu"
)

// BenchmarkBeside puts the same load on a Redis by redis-benchmark, which comes with it, and by this client: GETs over the
// same number of connections and batches, of keys as long and as many. The throughput and the server's cost an operation should
// differ by less than 10 % while the server is what is busy.
func BenchmarkBeside(b *testing.B) {
	tool, err := exec.LookPath("redis-benchmark")
	if err != nil {
		b.Skip(err)
	}
	cpus, err := cpu.Allowed()
	if err != nil || len(cpus) < 2 {
		b.Skipf("a server and a client need a CPU each: found %v (%v)", cpus, err)
	}
	for _, connections := range []int{4, 16} {
		s := start(b, func(c *Config) { c.Items, c.KeyBytes, c.CPUs = besideKeys, besideKeyBytes, cpus[:1] })
		r := dial(b, s.Addr(), Options{})
		on := cpus[len(cpus)-1]
		load(b, r, connections, on)                              // stores the keys of one
		redisBenchmark(b, tool, r, connections, on, "-t", "set") // and of the other
		b.Run(fmt.Sprintf("connections=%d/by=dpukv", connections), func(b *testing.B) {
			for b.Loop() {
				load(b, r, connections, on)
			}
		})
		b.Run(fmt.Sprintf("connections=%d/by=redis-benchmark", connections), func(b *testing.B) {
			for b.Loop() {
				redisBenchmark(b, tool, r, connections, on, "-t", "get")
			}
		})
	}
}

// What redis-benchmark makes of -r 1000000: keys such as "key:000000123456".
const (
	besideKeys     = 1_000_000
	besideKeyBytes = 16
)

// load is one of ours.
func load(b *testing.B, r *Remote, connections, on int) {
	hash, err := hashbench.Lookup(hashbench.Default)
	if err != nil {
		b.Fatal(err)
	}
	res, err := client.Run(b.Context(), r, client.Config{
		Workload: client.Workload{Keys: besideKeys, KeyBytes: besideKeyBytes, ValueBytes: 8, GetRatio: 1, Seed: 1},
		Threads:  1, Connections: connections, Window: 1, Batch: 64, Hash: hash, CPUs: []int{on}, Duration: 3 * time.Second,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(res.Point.ServerCPUNsPerOp, "server-cpu-ns/op")
	b.ReportMetric(res.Point.ThroughputOps/1e6, "Mops")
}

// redisBenchmark is one of theirs.
func redisBenchmark(b *testing.B, tool string, r *Remote, connections, on int, what ...string) {
	host, port, err := net.SplitHostPort(r.addr)
	if err != nil {
		b.Fatal(err)
	}
	args := []string{
		"-c", strconv.Itoa(on), tool, "-h", host, "-p", port, "-c", strconv.Itoa(connections), "-P", "64", "-d", "8",
		"-r", strconv.Itoa(besideKeys), "-n", "3000000", "--csv",
	}
	before, err := r.Stats()
	if err != nil {
		b.Fatal(err)
	}
	out, err := exec.CommandContext(b.Context(), "taskset", slices.Concat(args, what)...).Output()
	if err != nil {
		b.Fatalf("%s: %v", tool, err)
	}
	after, err := r.Stats()
	if err != nil {
		b.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll() // "test","rps",…
	if err != nil || len(rows) != 2 {
		b.Fatalf("%s says %q (%v)", tool, out, err)
	}
	rate, err := strconv.ParseFloat(rows[1][1], 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(after.CPUNs-before.CPUNs)/float64(after.Ops()-before.Ops()), "server-cpu-ns/op")
	b.ReportMetric(rate/1e6, "Mops")
}
