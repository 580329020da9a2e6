package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
)

// serverFigures are the times of a server's subject.
var serverFigures = []string{"server", "client"}

const clientFigure = 1

// serverEnv has the shape for which this program is a server of MICA, and no test.
const serverEnv = "DPUKV_BENCH_SERVER"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(serverEnv); ok {
		if err := serveMica(text); err != nil {
			fmt.Fprintln(os.Stderr, "serve MICA:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveMica serves until its standard input ends.
func serveMica(text string) error {
	var connections, keys, valueBytes int
	if _, err := fmt.Sscan(text, &connections, &keys, &valueBytes); err != nil {
		return err
	}
	s, err := mica.Start(mica.Config{
		Listen: "127.0.0.1:0", Workers: 1, PartitionsPerWorker: 1, Mode: partition.Cache, Items: keys,
		LogBytes: partition.LogBytesFor(keys, 8, valueBytes, partition.Cache, 1), Hash: "city64",
		CPUs: []int{serverCPU}, MaxConnections: connections + 4, BufferBytes: 1 << 30, // 4 for the preload
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := json.NewEncoder(os.Stdout).Encode(s.Addr()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// startServer starts this program as a server of MICA.
func startServer(tb testing.TB, sh shape) served {
	cmd := exec.Command(must.Get(os.Executable())(tb))
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %d", serverEnv, sh.connections, sh.keys, sh.valueBytes))
	cmd.Stderr = os.Stderr
	in := must.Get(cmd.StdinPipe())(tb)
	out := must.Get(cmd.StdoutPipe())(tb)
	begun := make(chan error)
	go func() { begun <- cmd.Start() }() // this thread would pass its CPU on
	must.Do(tb, <-begun)
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	var addr string
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(tb)
	must.Do(tb, json.NewDecoder(strings.NewReader(line)).Decode(&addr))
	return served{addr, cmd.Process}
}

// ofMica is GETs over TCP: the CPU time of the server's process, and of the client's thread.
func ofMica(name string, connections, window int) subject.Subject {
	start := func(tb testing.TB, small bool) *subject.Running {
		sh := shape{keys: 1_000_000, valueBytes: 8, batch: 64, connections: connections}
		if small {
			sh.keys = 1000
		}
		server := startServer(tb, sh)
		preload(tb, server.addr, sh)
		r := dial(tb, server.addr)
		tb.Cleanup(func() { r.Close() })
		return driven(tb, r, sh, window, newStream(sh.keys), 8, func() (int64, error) {
			return cpu.NsOf(server.process.Pid)
		})
	}
	return subject.Subject{
		Name: name, Kind: subject.Server, Figures: serverFigures, Batch: 64 * connections * window, Start: start,
	}
}

// driven opens a session, and uses up the caution with which MICA treats new connections. The
// client's figure leaves out the polls that found nothing.
func driven(
	tb testing.TB, r kvs.Remote, sh shape, window int, keys *stream, keyBytes int,
	serverNs func() (int64, error),
) *subject.Running {
	s := must.Get(r.Open(kvs.SessionOptions{Batch: sh.batch, Window: window, Connections: sh.connections}))(tb)
	tb.Cleanup(func() { _ = s.Close() })
	d := newDriverOf(s, sh.batch, keyBytes, keys)
	must.Do(tb, d.cycle(turnsToTrust*sh.connections*sh.batch))
	must.Do(tb, d.drain())
	return &subject.Running{Do: d.cycle, Drain: d.drain, Read: func() ([]int64, error) {
		ns, err := serverNs()
		return []int64{ns, cpu.ThreadNs() - s.Traffic().SpunNs}, err
	}}
}

// ofHerd is GETs through shared memory, in lists of 32. Both figures leave out the polls that found
// nothing.
func ofHerd(name string, clients int) subject.Subject {
	start := func(tb testing.TB, small bool) *subject.Running {
		sh := shape{keys: 1 << 20, valueBytes: 32, batch: 32, connections: clients}
		if small {
			sh.keys = 1000
		}
		procs := runtime.GOMAXPROCS(4) // two threads that never block, and one turn for the rest
		tb.Cleanup(func() { runtime.GOMAXPROCS(procs) })
		hash := must.Get(hashbench.Lookup(herd.DefaultHash))(tb)
		server := must.Get(herd.Start(herd.Config{
			Listen: "127.0.0.1:0", Device: "shm", Workers: 1, Mode: partition.Cache, Items: sh.keys,
			LogBytes: partition.LogBytesFor(sh.keys, 16, sh.valueBytes, partition.Cache, 1), Hash: herd.DefaultHash,
			CPUs: []int{serverCPU},
		}))(tb)
		tb.Cleanup(func() { server.Close() })
		r := must.Get(herd.Dial(context.Background(), server.Addr(), herd.Options{}))(tb)
		tb.Cleanup(func() { r.Close() })
		first := must.Get(r.Open(kvs.SessionOptions{Batch: sh.batch, Window: 1, Connections: 1}))(tb)
		key := make([]byte, 16)
		must.Do(tb, store(first, sh, key, hash.Sum64))
		must.Do(tb, first.Close())
		keys := newStream(sh.keys)
		for i, of := range keys.keys {
			binary.LittleEndian.PutUint64(key, of)
			keys.hashes[i] = hash.Sum64(key)
		}
		return driven(tb, r, sh, 1, keys, 16, func() (int64, error) {
			st, err := server.Stats()
			if err != nil {
				return 0, err
			}
			return st.Workers[0].CPUNs - st.Workers[0].SpunNs, nil
		})
	}
	return subject.Subject{
		Name: name, Kind: subject.Server, Figures: serverFigures, Batch: 32 * clients, Polls: true, Start: start,
	}
}
