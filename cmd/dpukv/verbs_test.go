package main

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"dpukv/internal/test/programs"
)

// serveVerbs starts a microbenchmark's server, and returns once it waits for its client.
func serveVerbs(ts *testscript.TestScript, _ bool, args []string) {
	free, err := programs.FreePort()
	ts.Check(err)
	port := strconv.Itoa(free)
	ts.Setenv("PORT", port)
	self, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(self, append([]string{"probe", "verbs"}, append(args, "-p", port)...)...)
	cmd.Args[0] = "dpukv" // testscript.Main goes by the name
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill() // mostly gone: it serves one client
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stderr).ReadString('\n'); !strings.HasPrefix(line, "waiting for a client") {
		ts.Fatalf("the server said %q, %v", line, err)
	}
}
