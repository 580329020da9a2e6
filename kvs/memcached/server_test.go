package memcached

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"dpukv/client/clienttest"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/internal/pipetest"
	"dpukv/kvs/kvstest"
	"dpukv/load"
	"dpukv/results"
)

func TestConformance(t *testing.T) {
	all := []int{1, 2}
	if testing.Short() {
		all = all[1:]
		t.Log("a short run: two workers")
	}
	for _, protocol := range Protocols {
		for _, workers := range all {
			t.Run(fmt.Sprint(protocol, workers), func(t *testing.T) {
				s := start(t, func(c *kvs.ServerConfig) { c.Workers = workers })
				r := dial(t, s.Addr(), Options{Protocol: protocol})
				if got := r.Facts().Protocol; got != protocol {
					t.Fatalf("the facts say %q", got)
				}
				kvstest.Conform(t, r, kvstest.Limits{})
			})
		}
	}
}

func TestFaults(t *testing.T) { pipetest.Fail(t, faultStore) }

// TestStatsReset: somebody resets the server's counters in the middle of a load.
func TestStatsReset(t *testing.T) {
	addr := start(t, nil).Addr()
	other := dial(t, addr, Options{})
	clienttest.Reset(t, dial(t, addr, Options{}), func() {
		_, err := other.control.stats("reset")
		must.Fail(t, err, "RESET")
	})
}

func TestTrickle(t *testing.T) { pipetest.Trickle(t, faultStore) }

// TestProtocols checks that both protocols store the same key, with the same bytes.
func TestProtocols(t *testing.T) {
	s := start(t, nil)
	one := kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}
	key := []byte("plain-key")
	kvstest.Do(t, kvstest.Open(t, dial(t, s.Addr(), Options{Protocol: Meta}), one), nil,
		[]kvs.Request{{Op: kvs.Set, Key: key, Value: key}})
	a := kvstest.Do(t, kvstest.Open(t, dial(t, s.Addr(), Options{Protocol: Binary}), one), nil,
		[]kvs.Request{{Op: kvs.Get, Key: key}})
	if a[0].Status != kvs.OK || string(a[0].Value) != string(key) {
		t.Errorf("got %+v", a[0])
	}
}

// TestServerWithoutMeta: memcached, told to speak only one protocol.
func TestServerWithoutMeta(t *testing.T) {
	addr := run(t, "-B", "binary")
	r := dial(t, addr, Options{})
	if got := r.Facts(); got.Protocol != Binary || got.MaxKeyBytes != MaxKeyBytes {
		t.Errorf("the protocol is %q with keys up to %d", got.Protocol, got.MaxKeyBytes)
	}
	kvstest.Conform(t, r, kvstest.Limits{})
	_, err := Dial(t.Context(), addr, Options{Protocol: Meta})
	must.Fail(t, err, "allowed: binary")
}

func TestFacts(t *testing.T) {
	s := start(t, func(c *kvs.ServerConfig) { c.Workers, c.Mode, c.CPUs = 2, "store", []int{0} })
	f := s.Facts()
	for _, want := range []string{"-t 2", "-M", "-l 127.0.0.1", "-U 0"} {
		if !strings.Contains(strings.Join(f.Command, " "), want) {
			t.Errorf("%q is not in the command %q", want, f.Command)
		}
	}
	if f.Store != "memcached" || f.Version == "" || f.Workers != 2 || f.Mode != "store" || f.Access != "crcw" ||
		f.Items != 10_000 {
		t.Errorf("%+v", f)
	}
	if r := dial(t, s.Addr(), Options{}); !slices.Equal(r.Facts().CPUs, f.CPUs) {
		t.Errorf("pinned to %v, and a client hears %v", f.CPUs, r.Facts().CPUs)
	}
}

// TestFourThreads: the share of a memcached with four threads is that of its busiest thread, not the
// sum. A client on another machine sees their mean.
func TestFourThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	s := start(t, func(c *kvs.ServerConfig) { c.Workers = 4 })
	for _, c := range []struct {
		by    string
		spoil func(*Remote)
	}{
		{results.ByBusiestThread, func(*Remote) {}},
		{results.ByMeanOfThreads, func(r *Remote) { r.facts.PID = 0 }},
	} {
		r := dial(t, s.Addr(), Options{})
		c.spoil(r)
		p := clienttest.Point(t, r, 4)
		w, sum := p.ServerWorkers[0], 4*p.ServerCPUShare
		t.Logf("%s: %.3f of a process with %.3f of a CPU: %+v", c.by, w.CPUShare, sum, p.Bottleneck())
		if w.CPUShareBy != c.by || w.Threads != 4 || w.CPUShare <= 0 || w.CPUShare > 0.6*sum {
			t.Errorf("got %+v of a process with %v of a CPU, want by %q", w, sum, c.by)
		}
	}
}

// TestFull checks that in mode store memcached refuses items that it has no memory for.
func TestFull(t *testing.T) {
	s := start(t, func(c *kvs.ServerConfig) { c.Mode, c.Items, c.KeyBytes, c.ValueBytes = "store", 1, 1, 1 }) // 65 MiB
	for _, protocol := range Protocols {
		t.Run(protocol, func(t *testing.T) {
			kvstest.Full(t, kvstest.Open(t, dial(t, s.Addr(), Options{Protocol: protocol}),
				kvs.SessionOptions{Batch: 64, Window: 1, Connections: 1}))
		})
	}
}

// TestStrangers: what listens is no memcached.
func TestStrangers(t *testing.T) {
	pipetest.Strangers(t, func(addr string) (*Remote, error) {
		return Dial(t.Context(), addr, Options{})
	}, "-ERR unknown command 'mn'\r\n")
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the installed memcached for the length of a test.
func start(t testing.TB, change func(*kvs.ServerConfig)) kvs.Server {
	t.Helper()
	return pipetest.Start(t, &Store, change)
}

func dial(t testing.TB, addr string, opts Options) *Remote {
	t.Helper()
	return must.Keep(Dial(t.Context(), addr, opts))(t)
}

var faultStore = pipetest.Store{Store: &Store, Load: clienttest.Fault}

const besideKeys = 10_000

// BenchmarkBeside compares with libmemcached's memcaslap, which sends one request at a time per
// connection. Both then mostly measure the kernel.
func BenchmarkBeside(b *testing.B) {
	tool := pipetest.Tool{Name: "memcaslap", Rate: memcaslapRate}
	_, cpu, _ := tool.Program(b)
	w := load.Workload{Keys: besideKeys, KeyBytes: 16, ValueBytes: 32, GetRatio: 0.9, Seed: 1}
	settings := filepath.Join(b.TempDir(), "settings")
	text := fmt.Sprintf("key\n%d %[1]d 1\nvalue\n%d %[2]d 1\ncmd\n0 0.1\n1 0.9\n", w.KeyBytes, w.ValueBytes)
	must.Do(b, os.WriteFile(settings, []byte(text), 0o644))
	for _, connections := range []int{16, 64} {
		s := start(b, func(c *kvs.ServerConfig) {
			c.Items, c.KeyBytes, c.CPUs = 100*besideKeys, w.KeyBytes, []int{cpu}
		})
		tool.Args = func(connections int) []string {
			return []string{
				"-s", s.Addr(), "-T", "1", "-c", strconv.Itoa(connections), "-w", "10k", "-t", "3s", "-F",
				settings, "-B",
			}
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
