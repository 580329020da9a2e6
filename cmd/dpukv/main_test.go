package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/verbs/verbstest"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "dpukv" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		// Code under test took this binary for dpukv, to start it as "lab" or "node". It would run
		// all tests, again and again.
		fmt.Fprintf(os.Stderr, "the binary of the tests was started as %q\n", os.Args)
		os.Exit(2)
	}
	testscript.Main(m, map[string]func(){"dpukv": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands the scripts have
//
//	status N dpukv ARG...   run it; its exit status must be N; stdout and stderr are kept
//	serve ARG...            start "dpukv serve mica --json" on a free port; $ADDR is its address, $PID its process
//	serve-herd ARG...       the same with "dpukv serve herd"; serve-memcached and serve-redis with theirs
//	term                    SIGTERM the server; it must end with status 0
//	serve-verbs ARG...      start "dpukv probe verbs ARG... -p $PORT" on a free port, for one client
//	fake-mica BYTES         answer every hello at $ADDR with a failure of so many bytes of escapes
//	point FILE [k=v...]     FILE is one line of JSON: a valid point with these field values
//	histogram POINT FILE    FILE is a histogram log with the latency of the point in POINT
//
// $CPU is a CPU that the tests may use.
func TestScripts(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("LO0", verbstest.Addr(0))
			env.Setenv("LO1", verbstest.Addr(1))
			// Scripts run at once, and two devices need two addresses.
			env.Setenv("LO2", verbstest.Addr(2))
			env.Setenv("LO3", verbstest.Addr(3))
			env.Setenv("CPU", strconv.Itoa(allowed[0]))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"serve":  serveStore("mica"),
			"term":   term,
			"point":  point,

			"serve-herd":      serveStore("herd"),
			"serve-memcached": serveStore("memcached"),
			"serve-redis":     serveStore("redis"),

			"serve-verbs": serveVerbs,
			"fake-mica":   fakeMICA,
		},
	})
}

func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}

type server struct {
	cmd  *exec.Cmd
	done chan error
}

// running has each script's server, by the script's work folder.
var running sync.Map

func serveStore(store string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) { startStore(ts, store, args) }
}

func startStore(ts *testscript.TestScript, store string, args []string) {
	self, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(self, append([]string{"serve", store, "--json", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Args[0] = "dpukv" // testscript.Main goes by the name
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s := &server{cmd, make(chan error, 1)}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	go func() { s.done <- cmd.Wait() }()
	ts.Defer(func() { _ = cmd.Process.Kill() }) // it is gone already if the script ended it
	ts.Check(err)
	var said struct{ Addr string }
	ts.Check(json.Unmarshal([]byte(line), &said))
	ts.Setenv("ADDR", said.Addr)
	ts.Setenv("PID", strconv.Itoa(cmd.Process.Pid))
	running.Store(ts.Getenv("WORK"), s)
}

func fakeMICA(ts *testscript.TestScript, _ bool, args []string) {
	bytes, err := strconv.Atoi(args[0])
	ts.Check(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv("ADDR", l.Addr().String())
	// The header of a frame as kvs/mica draws it: length, version 1, kind 7.
	frame := binary.LittleEndian.AppendUint32(nil, uint32(16+bytes))
	frame = append(frame, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	frame = append(frame, strings.Repeat("\x1b]0;owned\a", bytes/10+1)[:bytes]...)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			// This reads the hello: closing before would reset the connection.
			_, _ = io.CopyN(io.Discard, c, 24)
			_, _ = c.Write(frame)
			c.Close()
		}
	}()
}

func term(ts *testscript.TestScript, _ bool, _ []string) {
	v, ok := running.LoadAndDelete(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no server runs")
	}
	s := v.(*server)
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	if err := <-s.done; err != nil {
		ts.Fatalf("the server ended with %v", err)
	}
}

func point(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	if strings.Contains(text, "\n") {
		ts.Fatalf("more than one line:\n%s", text)
	}
	var p results.Point
	ts.Check(json.Unmarshal([]byte(text), &p))
	ts.Check(results.Validate(&p))
	var fields map[string]any
	ts.Check(json.Unmarshal([]byte(text), &fields))
	for _, want := range args[1:] {
		k, v, _ := strings.Cut(want, "=")
		got, err := json.Marshal(fields[k])
		ts.Check(err)
		if strings.Trim(string(got), `"`) != v {
			ts.Fatalf("%s is %s, want %s", k, got, v)
		}
	}
}
