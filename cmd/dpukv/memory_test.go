package main

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"dpukv/internal/kerneltest"
)

// TestServeInMemoryGroup starts servers in a control group of 300 MiB, as Slurm and Kubernetes do.
// What does not fit is refused in words: without a look at the group the kernel would kill the
// server, in silence.
func TestServeInMemoryGroup(t *testing.T) {
	group := kerneltest.MemoryGroup(t, 300<<20)
	dpukv := build(t)
	inGroup := func(store, memory string) *exec.Cmd {
		return exec.Command("sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, group,
			dpukv, "serve", store, "--listen", "127.0.0.1:0", "--items", "1000", "--memory", memory)
	}
	for _, store := range []string{"mica", "herd"} {
		cmd := inGroup(store, "1GiB")
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() < 0 {
			t.Errorf("serve %s with 1 GiB in a group of 300 MiB: %v\n%s", store, err, out)
		}
		for _, want := range []string{"log of 1024 MiB", "limit of 300 MiB", group, "smaller log"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("serve %s does not say %q: %s", store, want, out)
			}
		}
	}

	// What does fit is served.
	cmd := inGroup("mica", "256MiB")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil || !strings.Contains(line, "256MiB of log") {
		t.Errorf("serve mica with 256 MiB in a group of 300 MiB: %v: %q", err, line)
	}
}
