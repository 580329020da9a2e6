package redis

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/client/clienttest"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"
	"dpukv/kvs/kvstest"
	"dpukv/load"
)

func TestConformance(t *testing.T) {
	for protocol, want := range map[string]string{Get: "resp3", MGet: "resp3+mget"} {
		t.Run(protocol, func(t *testing.T) {
			r := dial(t, start(t, nil).Addr(), Options{Protocol: protocol})
			if r.Facts().Protocol != want {
				t.Fatalf("the facts say %q", r.Facts().Protocol)
			}
			kvstest.Conform(t, r, kvstest.Limits{})
		})
	}
}

// TestRESP2 runs a server that does not know HELLO.
func TestRESP2(t *testing.T) {
	addr := run(t, "--rename-command", "HELLO", "")
	for _, protocol := range Protocols {
		r := dial(t, addr, Options{Protocol: protocol})
		if !strings.HasPrefix(r.Facts().Protocol, "resp2") {
			t.Errorf("the facts say %q", r.Facts().Protocol)
		}
		kvstest.Conform(t, r, kvstest.Limits{})
	}
}

func TestFaults(t *testing.T) {
	for _, protocol := range Protocols {
		t.Run(protocol, func(t *testing.T) { t.Parallel(); pipetest.Fail(t, faultStore(protocol)) })
	}
}

// TestResetStat: somebody resets the server's counters in the middle of a load.
func TestResetStat(t *testing.T) {
	addr := start(t, nil).Addr()
	other := dial(t, addr, Options{})
	clienttest.Reset(t, dial(t, addr, Options{}), func() {
		if _, err := other.nodes[0].control.say("CONFIG", "RESETSTAT"); err != nil {
			t.Error(err)
		}
	})
}

func TestTrickle(t *testing.T) { pipetest.Trickle(t, faultStore(Get)) }

func TestFacts(t *testing.T) {
	s := start(t, func(c *kvs.ServerConfig) { c.Workers, c.Mode, c.CPUs = 2, "store", []int{0} })
	f := s.Facts()
	for _, want := range []string{"--io-threads 2", "noeviction", "--bind 127.0.0.1", "--appendonly no"} {
		if !strings.Contains(strings.Join(f.Command, " "), want) {
			t.Errorf("%q is not in the command %q", want, f.Command)
		}
	}
	if f.Store != "redis" || f.Version == "" || f.Workers != 2 || f.Mode != "store" || f.Access != "erew" ||
		f.Items != 10_000 {
		t.Errorf("%+v", f)
	}
	r := dial(t, s.Addr(), Options{})
	if !slices.Equal(r.Facts().CPUs, f.CPUs) {
		t.Errorf("pinned to %v, and a client hears %v", f.CPUs, r.Facts().CPUs)
	}
	if f := start(t, nil).Facts(); f.Mode != "cache" || f.Workers != 1 {
		t.Errorf("%+v", f)
	}
}

// TestIdleThreads checks that idle io-threads do not count as working ones.
func TestIdleThreads(t *testing.T) {
	r := dial(t, start(t, func(c *kvs.ServerConfig) { c.Workers = 4 }).Addr(), Options{})
	kvstest.Do(t, kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}), nil,
		[]kvs.Request{{Op: kvs.Get, Key: []byte("k")}})
	s, err := r.Stats()
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "main thread") {
		t.Errorf("warnings %q, %v", s.Warnings, err)
	}
}

// TestThreads: the remote lists the threads of a server on this machine, with the CPU time of the
// process.
func TestThreads(t *testing.T) {
	r := dial(t, start(t, func(c *kvs.ServerConfig) { c.Workers = 2 }).Addr(), Options{})
	for deadline := time.Now().Add(20 * time.Second); ; {
		s := must.Get(r.Stats())(t)
		names := map[string]bool{}
		for _, thread := range s.Threads {
			names[thread.Name] = true
		}
		if names["redis-server"] && names["io_thd_1"] {
			return
		}
		if time.Now().After(deadline) { // a thread names itself after its start
			t.Fatalf("got %+v", s.Threads)
		}
	}
}

// TestFull checks that in mode store Redis refuses items that it has no memory for.
func TestFull(t *testing.T) {
	s := start(t, func(c *kvs.ServerConfig) { c.Mode, c.Items, c.KeyBytes, c.ValueBytes = "store", 1, 1, 1 }) // 64 MiB
	kvstest.Full(t, kvstest.Open(t, dial(t, s.Addr(), Options{}),
		kvs.SessionOptions{Batch: 64, Window: 1, Connections: 1}))
}

// TestStrangers: what listens is no Redis.
func TestStrangers(t *testing.T) {
	pipetest.Strangers(t, func(addr string) (*Remote, error) {
		return Dial(t.Context(), addr, Options{})
	}, "ERROR\r\n", "+OK\r\n$3\r\nabc\r\n", "$99999999\r\n", "*99999999999\r\n")
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the installed redis-server for the length of a test.
func start(t testing.TB, change func(*kvs.ServerConfig)) kvs.Server {
	t.Helper()
	return pipetest.Start(t, &Store, change)
}

func dial(t testing.TB, addr string, opts Options) *Remote {
	t.Helper()
	return must.Keep(Dial(t.Context(), addr, opts))(t)
}

func faultStore(protocol string) pipetest.Store {
	return pipetest.Store{Store: &Store, Protocol: protocol, Load: clienttest.Fault}
}

// Keys have the form of redis-benchmark's with -r 1000000: such as "key:000000123456".
const (
	besideKeys     = 1_000_000
	besideKeyBytes = 16
)

// BenchmarkBeside has redis-benchmark, which comes with Redis, as its yardstick.
func BenchmarkBeside(b *testing.B) {
	tool := pipetest.Tool{Name: "redis-benchmark", Rate: redisBenchmarkRate}
	program, cpu, on := tool.Program(b)
	w := load.Workload{Keys: besideKeys, KeyBytes: besideKeyBytes, ValueBytes: 8, GetRatio: 1, Seed: 1}
	for _, connections := range []int{4, 16} {
		s := start(b, func(c *kvs.ServerConfig) {
			c.Items, c.KeyBytes, c.CPUs = besideKeys, besideKeyBytes, []int{cpu}
		})
		r := dial(b, s.Addr(), Options{})
		// dpukv's keys are stored first. The keys stored last lie side by side in memory, and are
		// answered a fifth faster.
		clienttest.Throughput(b, r, w, connections, 64, on)
		host, port, err := net.SplitHostPort(s.Addr())
		must.Do(b, err)
		args := []string{
			"-h", host, "-p", port, "-P", "64", "-d", "8", "-r", strconv.Itoa(besideKeys), "-n", "3000000",
			"--csv",
		}
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
