package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
)

// BenchmarkSplit is the CPU time of the halves of a server beside that of a whole server. Each is a
// process of its own, and the two servers take turns. A ratio is the median of the turns' ratios. A
// split is worth it if the store half, which stays on the host, takes a small part of the whole
// server's time. Here both halves have the same CPU. On a DPU, the engine has its own.
func BenchmarkSplit(b *testing.B) {
	program := filepath.Join(b.TempDir(), "dpukv")
	out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/dpukv").CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, answers := range []string{"read", "write"} {
		for _, of := range []struct{ connections, window int }{{1, 1}, {4, 4}} {
			name := fmt.Sprintf("answers=%s/connections=%d/window=%d", answers, of.connections,
				of.window)
			b.Run(name, func(b *testing.B) {
				sh := study
				sh.connections = of.connections
				compareSplit(b, program, sh, of.window, answers)
			})
		}
	}
}

func compareSplit(b *testing.B, program string, sh shape, window int, answers string) {
	const rounds, period = 5, 300 * time.Millisecond
	items := []string{
		"--items", strconv.Itoa(sh.keys),
		"--memory", fmt.Sprint(partition.LogBytesFor(sh.keys, 8, sh.valueBytes, partition.Cache, 1)),
	}
	whole := newClosedLoop(b, serve(b, program, items...), sh, window)
	store := serve(b, program, append(items, "--half", "store", "--answers", answers)...)
	split := newClosedLoop(b, serve(b, program, "--half", "engine", "--store", store), sh, window)
	figures := map[string][]float64{}
	add := func(unit string, value float64) { figures[unit] = append(figures[unit], value) }
	for range rounds {
		w, s := whole.run(b, period), split.run(b, period)
		add("whole-cpu-ns/op", w.wholeNs)
		add("engine-cpu-ns/op", s.engineNs)
		add("store-cpu-ns/op", s.storeNs)
		add("engine/whole", s.engineNs/w.wholeNs)
		add("store/whole", s.storeNs/w.wholeNs)
		add("whole-Mops", w.mops)
		add("split-Mops", s.mops)
	}
	for unit, values := range figures {
		b.ReportMetric(median(values), unit)
	}
	b.ReportMetric(0, "ns/op")
}

// serve starts a server, or a half of one, as a process of its own. It returns the address.
func serve(b *testing.B, program string, args ...string) string {
	args = append([]string{
		"serve", "mica", "--json", "--listen", "127.0.0.1:0", "--cpus", strconv.Itoa(serverCPU),
	}, args...)
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()
	})
	var facts struct{ Addr string }
	if err := json.NewDecoder(out).Decode(&facts); err != nil {
		b.Fatal(err)
	}
	return facts.Addr
}

// closedLoop sends Gets to a server.
type closedLoop struct {
	remote kvs.Remote
	shape  shape
	window int
}

func newClosedLoop(b *testing.B, addr string, sh shape, window int) *closedLoop {
	preload(b, addr, sh)
	r, err := mica.Dial(context.Background(), addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	return &closedLoop{r, sh, window}
}

// cost is the CPU time of an operation, of whole processes.
type cost struct{ wholeNs, engineNs, storeNs, mops float64 }

func (l *closedLoop) run(b *testing.B, period time.Duration) (c cost) {
	s, err := l.remote.Open(kvs.SessionOptions{
		Batch: l.shape.batch, Window: l.window, Connections: l.shape.connections,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	done := make(chan error)
	go func() {
		err := cpu.PinThread(clientCPU)
		if err == nil {
			c, err = l.measure(newDriver(s, l.shape), period)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	return c
}

func (l *closedLoop) measure(d *driver, period time.Duration) (c cost, err error) {
	if err := d.cycleFor(period / 5); err != nil {
		return c, err
	}
	before, err := l.remote.Stats()
	if err != nil {
		return c, err
	}
	begun := cpu.NowNs()
	if err := d.cycleFor(period); err != nil {
		return c, err
	}
	ns := cpu.NowNs() - begun
	after, err := l.remote.Stats()
	if err != nil {
		return c, err
	}
	ops := float64(after.Ops() - before.Ops())
	partNs := func(part string) float64 {
		was, _ := before.PartOf(part)
		is, _ := after.PartOf(part)
		return float64(is.CPUNs-was.CPUNs) / ops
	}
	return cost{
		wholeNs:  float64(after.CPUNs-before.CPUNs) / ops,
		engineNs: partNs(kvs.PartEngine), storeNs: partNs(kvs.PartStore),
		mops: 1e3 * ops / float64(ns),
	}, nil
}

// cycleFor goes on for a period.
func (d *driver) cycleFor(period time.Duration) error {
	for until := cpu.NowNs() + int64(period); cpu.NowNs() < until; {
		if err := d.cycle(16 * d.batch); err != nil {
			return err
		}
	}
	return nil
}
