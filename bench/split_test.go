package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
)

// BenchmarkSplit is the CPU time of the halves of a server beside that of a whole server. Each is a
// process of its own. The two servers take turns, and the one that waits is stopped. A ratio is the
// median of the turns' ratios. A split is worth it if the store half, which stays on the host, takes
// a small part of the whole server's time. Here both halves have the same CPU, so they yield it to
// each other. On a DPU, the engine has its own.
//
// "work" leaves the polls out that found nothing. With a window of one batch, the kernel moves each
// batch by itself. With a window of 16 it moves several at once, and TCP costs less an operation.
func BenchmarkSplit(b *testing.B) {
	program := buildTool(b)
	for _, wait := range []idle.Wait{idle.Poll, idle.Nap} {
		for _, answers := range []mqueue.Answers{mqueue.Read, mqueue.Written} {
			for _, of := range []struct{ connections, window int }{{16, 1}, {4, 16}} {
				name := fmt.Sprintf("wait=%s/answers=%s/connections=%d/window=%d", wait, answers,
					of.connections, of.window)
				b.Run(name, func(b *testing.B) {
					sh := study
					sh.connections = of.connections
					compareSplit(b, program, sh, of.window, "--wait", string(wait), "--answers",
						string(answers))
				})
			}
		}
	}
}

func compareSplit(b *testing.B, program string, sh shape, window int, halves ...string) {
	rounds, period := turns()
	items := []string{
		"--items", strconv.Itoa(sh.keys),
		"--memory", fmt.Sprint(partition.LogBytesFor(sh.keys, 8, sh.valueBytes, partition.Cache, 1)),
	}
	alone := serve(b, program, items...)
	whole := newClosedLoop(b, alone.addr, sh, window)
	store := serve(b, program, slices.Concat(items, []string{"--half", "store"}, halves)...)
	engine := serve(b, program, append([]string{"--half", "engine", "--store", store.addr},
		halves[:2]...)...)
	split := newClosedLoop(b, engine.addr, sh, window)
	found := figures{}
	for range rounds {
		hold(b, engine, store)
		w := whole.run(b, period)
		resume(b, store, engine)
		hold(b, alone)
		s := split.run(b, period)
		resume(b, alone)
		found.add("whole-cpu-ns/op", w.wholeNs)
		found.add("engine-cpu-ns/op", s.engineNs)
		found.add("store-cpu-ns/op", s.storeNs)
		found.add("engine/whole", s.engineNs/w.wholeNs)
		found.add("store/whole", s.storeNs/w.wholeNs)
		found.add("store-work/whole", (s.storeNs-s.storeSpunNs)/w.wholeNs)
		found.add("whole-Mops", w.mops)
		found.add("split-Mops", s.mops)
		found.add("hit%", min(w.hits, s.hits))
	}
	found.report(b)
}

// hold stops servers, so that they take no CPU time.
func hold(b *testing.B, servers ...served) { signal(b, syscall.SIGSTOP, servers) }

// resume lets them go on.
func resume(b *testing.B, servers ...served) { signal(b, syscall.SIGCONT, servers) }

func signal(b *testing.B, s syscall.Signal, servers []served) {
	for _, server := range servers {
		must.Do(b, server.process.Signal(s))
	}
}

// serve starts a server, or a half of one, as a process of its own.
func serve(b *testing.B, program string, args ...string) served {
	args = append([]string{
		"serve", "mica", "--json", "--listen", "127.0.0.1:0", "--cpus", strconv.Itoa(serverCPU),
	}, args...)
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	out := must.Get(cmd.StdoutPipe())(b)
	must.Do(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT) // it may be stopped, or have ended
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	var facts struct{ Addr string }
	must.Do(b, json.NewDecoder(out).Decode(&facts))
	return served{facts.Addr, cmd.Process}
}

// closedLoop sends Gets to a server.
type closedLoop struct {
	remote kvs.Remote
	shape  shape
	window int
}

func newClosedLoop(b *testing.B, addr string, sh shape, window int) *closedLoop {
	preload(b, addr, sh)
	r := dial(b, addr)
	b.Cleanup(func() { r.Close() })
	return &closedLoop{r, sh, window}
}

// cost is the CPU time of an operation, of whole processes.
type cost struct{ wholeNs, engineNs, storeNs, storeSpunNs, mops, hits float64 }

func (l *closedLoop) run(b *testing.B, period time.Duration) (c cost) {
	onClient(b, l.remote, l.shape, l.window, func(s kvs.Session) (err error) {
		c, err = l.measure(newDriver(s, l.shape), period)
		return err
	})
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
	d.hits, d.answered = 0, 0
	if err := d.cycleFor(period); err != nil {
		return c, err
	}
	ns := cpu.NowNs() - begun
	after, err := l.remote.Stats()
	if err != nil {
		return c, err
	}
	ops := float64(after.Ops() - before.Ops())
	if ops == 0 {
		return c, errors.New("the server has answered nothing")
	}
	part := func(part string) (cpuNs, spunNs float64) {
		was, _ := before.PartOf(part)
		is, _ := after.PartOf(part)
		return float64(is.CPUNs-was.CPUNs) / ops, float64(is.SpunNs-was.SpunNs) / ops
	}
	c.wholeNs = float64(after.CPUNs-before.CPUNs) / ops
	c.engineNs, _ = part(kvs.PartEngine)
	c.storeNs, c.storeSpunNs = part(kvs.PartStore)
	c.mops = 1e3 * ops / float64(ns)
	c.hits = 100 * float64(d.hits) / float64(d.answered)
	return c, nil
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
