package memcached

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"dpukv/client"
	"dpukv/client/clienttest"
	"dpukv/kvs/internal/pipetest"
)

const besideKeys = 10_000

// BenchmarkBeside has libmemcached's memcaslap as its yardstick, which sends one request at a time on a connection: mostly the
// kernel is measured, for both.
func BenchmarkBeside(b *testing.B) {
	tool := pipetest.Tool{Name: "memcaslap", Rate: memcaslapRate}
	_, cpu, _ := tool.Program(b)
	w := client.Workload{Keys: besideKeys, KeyBytes: 16, ValueBytes: 32, GetRatio: 0.9, Seed: 1}
	settings := filepath.Join(b.TempDir(), "settings")
	text := fmt.Sprintf("key\n%d %[1]d 1\nvalue\n%d %[2]d 1\ncmd\n0 0.1\n1 0.9\n", w.KeyBytes, w.ValueBytes)
	if err := os.WriteFile(settings, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, connections := range []int{16, 64} {
		s := start(b, func(c *Config) { c.Items, c.KeyBytes, c.CPUs = 100*besideKeys, w.KeyBytes, []int{cpu} })
		tool.Args = func(connections int) []string {
			return []string{"-s", s.Addr(), "-T", "1", "-c", strconv.Itoa(connections), "-w", "10k", "-t", "3s", "-F", settings, "-B"}
		}
		r := dial(b, s.Addr(), Options{Protocol: Binary})
		load := func(b *testing.B, on int) { clienttest.Throughput(b, r, w, connections, 1, on) }
		pipetest.Beside(b, r, connections, load, tool)
	}
}

var memcaslapTPS = regexp.MustCompile(`TPS: (\d+)`)

// memcaslapRate reads the last line: "… TPS: 183505 …".
func memcaslapRate(out []byte) (float64, error) {
	m := memcaslapTPS.FindSubmatch(out)
	if m == nil {
		return 0, errors.New("want TPS")
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
