package mica

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/verbs/verbstest"
)

// startTestProxy starts a proxy to servers on loopback.
func startTestProxy(t testing.TB, c kvs.ProxyConfig) kvs.Server {
	t.Helper()
	c.Listen, c.Server, c.Threads = "127.0.0.1:0", "127.0.0.1", max(c.Threads, 1)
	return must.Keep(startProxy(&c))(t)
}

// TestProxiedConformance: sessions through a proxy pass the suite of all sessions.
func TestProxiedConformance(t *testing.T) {
	waits := map[string]string{"read": "poll", "write": "nap"}
	if testing.Short() {
		delete(waits, "read")
		t.Log("a short run: the proxy writes")
	}
	for answers, wait := range waits {
		t.Run(answers, func(t *testing.T) {
			p := startTestProxy(t, kvs.ProxyConfig{Threads: 2, Wait: wait})
			kvstest.Conformance(t, &Store, kvstest.Config{
				Server: kvs.ServerConfig{Workers: 2},
				Dial:   kvs.DialConfig{Proxy: p.Addr(), Answers: answers},
				Limits: kvstest.Limits{MaxValueBytes: 8 << 10},
			})
		})
	}
}

// TestProxiedOverSoftRoCE is the same with packets between the application and its proxy.
func TestProxiedOverSoftRoCE(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	s := startServer(t, testConfig())
	p := startTestProxy(t, kvs.ProxyConfig{Device: kvs.Device{Name: "softroce:" + verbstest.Addr(0)}})
	r := must.Get(Store.Dial(t.Context(), &kvs.DialConfig{
		Addr: s.Addr(), Proxy: p.Addr(), Device: kvs.Device{Name: "softroce:" + verbstest.Addr(1)},
	}))(t)
	defer r.Close()
	kvstest.Conform(t, r, kvstest.Limits{MaxValueBytes: 2 << 10})
}

func TestHostOf(t *testing.T) {
	for addr, want := range map[string]string{
		"10.0.0.1:7791": "10.0.0.1", "10.0.0.1": "10.0.0.1", "node": "node", "[::1]:7791": "::1",
		"[::1]": "::1", "::1": "::1", "": "",
	} {
		if got := hostOf(addr); got != want {
			t.Errorf("%q: found %q, want %q", addr, got, want)
		}
	}
}

// proxiedTo dials a server through a proxy.
func proxiedTo(t testing.TB, server, proxy string) kvs.Remote {
	t.Helper()
	return must.Keep(Store.Dial(context.Background(), &kvs.DialConfig{Addr: server, Proxy: proxy}))(t)
}

// TestProxiedStats: the proxy is a part of its own, and not in the server's sum.
func TestProxiedStats(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	s, p := startServer(t, testConfig()), startTestProxy(t, kvs.ProxyConfig{CPUs: allowed[:1]})
	r := proxiedTo(t, s.Addr(), p.Addr())
	stats, err := r.Stats()
	if err != nil || len(stats.Parts) != 1 || stats.Parts[0].Part != "proxy" || stats.Parts[0].CPUNs == 0 {
		t.Errorf("found %+v, %v", stats.Parts, err)
	}
	for range 2 {
		session := must.Get(r.Open(kvs.SessionOptions{
			Batch: 64, Window: 4, Connections: 2, KeyBytes: 8, MaxValueBytes: 8,
		}))(t)
		must.Do(t, session.Close())
	}
	lanes := r.Facts().ProxyLanes
	want := kvs.LaneFacts{
		Provider: "shm", Emulated: true, Answers: "read", Wait: "poll", Ordering: "low to high",
		Lanes: 2 * r.Facts().Workers, Slots: 8, SlotBytes: lanes.SlotBytes, Workers: 1,
		CPUs: []int{allowed[0]},
	}
	if !reflect.DeepEqual(*lanes, want) || lanes.SlotBytes < 64*16 {
		t.Errorf("found %+v, want %+v", lanes, want)
	}
}

// TestProxyReports: Stats fails without a report. Moved has the last one, and there is a warning. A
// close ends a question.
func TestProxyReports(t *testing.T) {
	s, p := startServer(t, testConfig()), startTestProxy(t, kvs.ProxyConfig{})
	r, other := proxiedTo(t, s.Addr(), p.Addr()), proxiedTo(t, s.Addr(), p.Addr())
	session := must.Get(other.Open(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}))(t)
	defer session.Close()
	must.Get(r.Stats())(t)
	before := r.Moved().Sockets
	warnings := strings.Join(r.(kvs.Observed).Warnings(time.Now()), "\n")
	if !strings.Contains(warnings, "connections of other clients") || strings.Contains(warnings, "lacks") {
		t.Errorf("found %q", warnings)
	}
	must.Do(t, p.Close())
	_, err := r.Stats()
	must.Fail(t, err, "proxy "+p.Addr())
	after := r.Moved().Sockets
	if after.Sources != before.Sources || after.SentBytes < before.SentBytes {
		t.Errorf("found %+v after %+v", after, before)
	}
	warnings = strings.Join(r.(kvs.Observed).Warnings(time.Now()), "\n")
	if !strings.Contains(warnings, "the client's traffic lacks the proxy's last part") {
		t.Errorf("found %q", warnings)
	}
}

// TestProxiedRefusals: what cannot be proxied is refused before a request.
func TestProxiedRefusals(t *testing.T) {
	s, p := startServer(t, testConfig()), startTestProxy(t, kvs.ProxyConfig{})
	for want, c := range map[string]kvs.DialConfig{
		"answers: found \"push\"":  {Addr: s.Addr(), Proxy: p.Addr(), Answers: "push"},
		"proxy 127.0.0.1:1:":       {Addr: s.Addr(), Proxy: "127.0.0.1:1"},
		"check that it is a proxy": {Addr: s.Addr(), Proxy: s.Addr()},
		"device: found \"mlx5_0\"": {Addr: s.Addr(), Proxy: p.Addr(), Device: kvs.Device{Name: "mlx5_0"}},
	} {
		_, err := Store.Dial(t.Context(), &c)
		must.Fail(t, err, want)
	}
	r := proxiedTo(t, s.Addr(), p.Addr())
	for want, o := range map[string]kvs.SessionOptions{
		"use a smaller window": {Batch: 4096, Window: 64, Connections: 1, KeyBytes: 8, MaxValueBytes: 1000},
		"batch: found 4096 op": {Batch: 4096, Window: 1, Connections: 1, KeyBytes: 8, MaxValueBytes: 10_000},
	} {
		_, err := r.Open(o)
		must.Fail(t, err, want)
	}
}

const proxyProcess = "DPUKV_TEST_PROXY" // the host of its server, in the environment of the process

// TestMain is also the process of a proxy that a test kills, and of a server that a benchmark stops.
func TestMain(m *testing.M) {
	if what := os.Getenv(waitsProcess); what != "" {
		fmt.Println(serveWaits(what))
		os.Exit(1)
	}
	if host := os.Getenv(proxyProcess); host != "" {
		p, err := startProxy(&kvs.ProxyConfig{Listen: "127.0.0.1:0", Server: host, Threads: 1})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.Addr())
		fmt.Println(p.Wait())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestProxyKilled: the error names the proxy, and comes within a bounded time.
func TestProxyKilled(t *testing.T) {
	s := startServer(t, testConfig())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), proxyProcess+"=127.0.0.1")
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	var addr string
	must.Get(fmt.Fscanln(stdout, &addr))(t)
	r := proxiedTo(t, s.Addr(), addr)
	session := must.Get(r.Open(kvs.SessionOptions{Batch: 1, Window: 2, Connections: 1}))(t)
	defer session.Close()
	kvstest.Do(t, session, nil, []kvs.Request{{Op: kvs.Get, Key: []byte("some key")}})
	must.Do(t, cmd.Process.Kill())
	awaitError(t, session, "proxy "+addr)
}

// awaitError sends GETs until an error comes, which contains a text.
func awaitError(t *testing.T, s kvs.Session, want string) {
	t.Helper()
	get := kvs.Request{Op: kvs.Get, Key: []byte("some key")}
	var err error
	for end := time.Now().Add(20 * time.Second); err == nil && time.Now().Before(end); {
		if _, err = s.Submit(&get); err == nil {
			_, err = s.Poll(nil, 10*time.Millisecond)
		}
	}
	must.Fail(t, err, want)
}

// TestServerEndsBehindProxy: its client learns that it was the server.
func TestServerEndsBehindProxy(t *testing.T) {
	s, p := startServer(t, testConfig()), startTestProxy(t, kvs.ProxyConfig{})
	session := must.Get(proxiedTo(t, s.Addr(), p.Addr()).Open(
		kvs.SessionOptions{Batch: 1, Window: 2, Connections: 1}))(t)
	defer session.Close()
	kvstest.Do(t, session, nil, []kvs.Request{{Op: kvs.Get, Key: []byte("some key")}})
	must.Do(t, s.Close())
	awaitError(t, session, "the server at 127.0.0.1:")
}

// BenchmarkApplication is the CPU time an operation of an application's thread: over TCP, and
// through a proxy. Both take turns with the server, and the proxy, on the CPUs of the machine. The
// time that Poll spun is not counted.
func BenchmarkApplication(b *testing.B) {
	s, p := startServer(b, testConfig()), startTestProxy(b, kvs.ProxyConfig{})
	direct := must.Keep(Store.Dial(b.Context(), &kvs.DialConfig{Addr: s.Addr()}))(b)
	for name, r := range map[string]kvs.Remote{
		"tcp": direct, "proxy": proxiedTo(b, s.Addr(), p.Addr()),
	} {
		b.Run(name, func(b *testing.B) { benchmarkApplication(b, r) })
	}
}

func benchmarkApplication(b *testing.B, r kvs.Remote) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	session, err := r.Open(kvs.SessionOptions{
		Batch: 64, Window: 4, Connections: 1, KeyBytes: 8, MaxValueBytes: 8,
	})
	must.Do(b, err)
	defer session.Close()
	get := kvs.Request{Op: kvs.Get, Key: []byte("some key")}
	answers := make([]kvs.Answer, 0, 4096)
	begun, spun := cpu.ThreadNs(), session.Traffic().SpunNs
	b.ResetTimer()
	for sent := 0; sent < b.N || session.InFlight() > 0; {
		taken := sent < b.N
		if taken {
			get.Hash = uint64(sent) << 48
			if taken, err = session.Submit(&get); err != nil {
				b.Fatal(err)
			}
		}
		if taken {
			sent++
			continue
		}
		if sent == b.N {
			must.Do(b, session.Flush())
		}
		if answers, err = session.Poll(answers[:0], time.Millisecond); err != nil {
			b.Fatal(err)
		}
	}
	used := cpu.ThreadNs() - begun - (session.Traffic().SpunNs - spun)
	b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
}
