package redis

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"testing"

	"dpukv/client"
	"dpukv/client/clienttest"
	"dpukv/kvs/internal/pipetest"
)

// Keys as redis-benchmark makes them of -r 1000000: such as "key:000000123456".
const (
	besideKeys     = 1_000_000
	besideKeyBytes = 16
)

// BenchmarkBeside has redis-benchmark, which comes with Redis, as its yardstick.
func BenchmarkBeside(b *testing.B) {
	tool := pipetest.Tool{Name: "redis-benchmark", Rate: redisBenchmarkRate}
	program, cpu, on := tool.Program(b)
	w := client.Workload{Keys: besideKeys, KeyBytes: besideKeyBytes, ValueBytes: 8, GetRatio: 1, Seed: 1}
	for _, connections := range []int{4, 16} {
		s := start(b, func(c *Config) { c.Items, c.KeyBytes, c.CPUs = besideKeys, besideKeyBytes, []int{cpu} })
		r := dial(b, s.Addr(), Options{})
		// dpukv's keys are stored first. The keys stored last lie side by side in memory, and are
		// answered a fifth faster.
		clienttest.Throughput(b, r, w, connections, 64, on)
		host, port, err := net.SplitHostPort(s.Addr())
		if err != nil {
			b.Fatal(err)
		}
		args := []string{"-h", host, "-p", port, "-P", "64", "-d", "8", "-r", strconv.Itoa(besideKeys), "-n", "3000000", "--csv"}
		if out, err := exec.Command(program, append(args, "-t", "set")...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v", out, err)
		}
		tool.Args = func(connections int) []string { return append(args, "-t", "get", "-c", strconv.Itoa(connections)) }
		load := func(b *testing.B, on int) { clienttest.Throughput(b, r, w, connections, 64, on) }
		pipetest.Beside(b, r, connections, load, tool)
	}
}

// redisBenchmarkRate reads "test","rps",… and one row under it.
func redisBenchmarkRate(out []byte) (float64, error) {
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[1]) < 2 {
		return 0, fmt.Errorf("want a head and one row (%w)", err)
	}
	return strconv.ParseFloat(rows[1][1], 64)
}
