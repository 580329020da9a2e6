package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// BenchmarkServerLimit is the CPU time of MICA's server beside that of a bare epoll server in C,
// which answers the same bytes. Each is a process of its own. They take turns. A ratio is the median
// of the turns' ratios.
func BenchmarkServerLimit(b *testing.B) {
	program := buildTool(b)
	for _, of := range []struct{ connections, window int }{{4, 4}, {16, 4}, {4, 1}} {
		b.Run(fmt.Sprintf("connections=%d/window=%d", of.connections, of.window), func(b *testing.B) {
			sh := study
			sh.connections = of.connections
			besideEcho(b, program, sh, of.window)
		})
	}
}

func besideEcho(b *testing.B, program string, sh shape, window int) {
	rounds, period := turns()
	server := serve(b, program, "--items", strconv.Itoa(sh.keys), "--memory",
		fmt.Sprint(partition.LogBytesFor(sh.keys, 8, sh.valueBytes, partition.Cache, 1)),
		"--max-connections", strconv.Itoa(sh.connections+4), "--buffers", "1GiB") // 4 for the preload
	preload(b, server.addr, sh)
	echo := serveEcho(b, sh)
	found := figures{}
	for range rounds {
		floor := runFor(b, echo, sh, window, period)
		own := runFor(b, server, sh, window, period)
		found.add("floor-ns/op", floor.serverNs)
		found.add("server-ns/op", own.serverNs)
		found.add("x-floor", own.serverNs/floor.serverNs)
		found.add("client-ns/op", own.clientNs)
		found.add("Mops", own.mops)
		found.add("floor-Mops", floor.mops)
	}
	found.report(b)
}

// turnsToTrust is more batches of a connection than its server treats with caution.
const turnsToTrust = 20

// turn is what an operation took in one turn.
type turn struct{ serverNs, clientNs, mops float64 }

func runFor(b *testing.B, s served, sh shape, window int, period time.Duration) (t turn) {
	r := dial(b, s.addr)
	defer r.Close()
	onClient(b, r, sh, window, func(session kvs.Session) (err error) {
		t, err = measureTurn(newDriver(session, sh), sh, s.process.Pid, period)
		return err
	})
	return t
}

func measureTurn(d *driver, sh shape, pid int, period time.Duration) (t turn, err error) {
	// MICA lets a connection pass the line only after a number of short turns (kvs/mica/limits.go).
	if err := d.cycle(turnsToTrust * sh.connections * sh.batch); err != nil {
		return t, err
	}
	if err := d.cycleFor(period / 5); err != nil {
		return t, err
	}
	server, err := cpu.NsOf(pid)
	if err != nil {
		return t, err
	}
	client, begun, answered := cpu.ThreadNs(), cpu.NowNs(), d.answered
	if err := d.cycleFor(period); err != nil {
		return t, err
	}
	serverEnd, err := cpu.NsOf(pid)
	if err != nil {
		return t, err
	}
	ops := float64(d.answered - answered)
	return turn{
		serverNs: float64(serverEnd-server) / ops, clientNs: float64(cpu.ThreadNs()-client) / ops,
		mops: 1e3 * ops / float64(cpu.NowNs()-begun),
	}, nil
}

// serveEcho starts the bare server.
func serveEcho(b *testing.B, sh shape) served {
	dir, program := b.TempDir(), compileC(b, "epollecho")
	welcome, answer := filepath.Join(dir, "welcome"), filepath.Join(dir, "answer")
	for name, frame := range map[string][]byte{
		welcome: welcomeFrame("12345"), answer: answerFrame(sh.batch, sh.valueBytes),
	} {
		must.Do(b, os.WriteFile(name, frame, 0o600))
	}
	cmd := exec.Command(program, welcome, answer, strconv.Itoa(serverCPU))
	cmd.Stderr = os.Stderr
	in := must.Get(cmd.StdinPipe())(b)
	stdout := must.Get(cmd.StdoutPipe())(b)
	must.Do(b, cmd.Start())
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	port := must.Get(bufio.NewReader(stdout).ReadString('\n'))(b)
	return served{"127.0.0.1:" + strings.TrimSpace(port), cmd.Process}
}
