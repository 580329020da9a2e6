package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// TestEngineCPUs: an engine has a CPU for each of its threads, whatever the store half has.
func TestEngineCPUs(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	want := allowed[:min(2, len(allowed))]
	dpukv := command(t)
	serve := func(args ...string) (s serving) {
		cmd := exec.Command(dpukv, append([]string{
			"serve", "mica", "--listen", "127.0.0.1:0", "--engine-threads", "2", "--json",
		}, args...)...)
		cmd.Stderr = os.Stderr
		stdout := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait() // the store half may have ended the engine
		})
		line, _ := bufio.NewReader(stdout).ReadBytes('\n')
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		return s
	}
	store := serve("--half", "store", "--items", "1000", "--memory", "8MiB", "--cpus", "none")
	engine := serve("--half", "engine", "--store", store.Addr, "--cpus", cpu.FormatList(want))
	if !slices.Equal(engine.CPUs, want) || engine.Workers != 2 {
		t.Errorf("%d threads on CPUs %v, want 2 on %v", engine.Workers, engine.CPUs, want)
	}
	if store.Half != kvs.PartStore || engine.Half != kvs.PartEngine {
		t.Errorf("the halves say that they are %q and %q", store.Half, engine.Half)
	}
}

// TestServeInMemoryGroup starts servers in a control group of 300 MiB, as Slurm and Kubernetes do.
// A store that does not fit is refused with a message. If the server did not check the group, the
// kernel would kill it without one.
func TestServeInMemoryGroup(t *testing.T) {
	group := kernel.MemoryGroup(t, 300<<20)
	dpukv := command(t)
	inGroup := func(store, memory string, flags ...string) *exec.Cmd {
		args := append([]string{
			"-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group,
			dpukv, "serve", store, "--listen", "127.0.0.1:0", "--items", "1000", "--memory", memory,
		}, flags...)
		return exec.Command("sh", args...)
	}
	for _, store := range []string{"mica", "herd"} {
		cmd := inGroup(store, "1GiB")
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() < 0 {
			t.Errorf("serve %s with 1 GiB in a group of 300 MiB: %v\n%s", store, err, out)
		}
		must.Contain(t, string(out), "log of 1024 MiB", "limit of 300 MiB", group, "smaller log")
	}

	// A store that fits is served, with as many connection buffers as there is room for.
	cmd := inGroup("mica", "200MiB", "--json")
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	line, _ := bufio.NewReader(stdout).ReadBytes('\n')
	_ = cmd.Process.Signal(syscall.SIGTERM)
	var facts kvs.Facts
	if err := errors.Join(cmd.Wait(), json.Unmarshal(line, &facts)); err != nil {
		t.Fatalf("serve mica with 200 MiB in a group of 300 MiB: %v: %q", err, line)
	}
	if facts.Pages == string(offheap.Heap) {
		t.Skip("under the race detector the log comes from the Go heap, and takes no memory yet")
	}
	if facts.LogBytes != 200<<20 || facts.MaxClientBytes < 1<<20 || facts.MaxClientBytes > 100<<20 {
		t.Errorf("a log of %d bytes and buffers of %d in a group of 300 MiB", facts.LogBytes, facts.MaxClientBytes)
	}
}
