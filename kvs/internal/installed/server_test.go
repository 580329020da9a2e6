package installed

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sleeper is a program that every machine has and that never answers; look returns its facts.
func sleeper(look func(addr string) (kvs.Facts, error), args ...string) *Kind {
	return &Kind{
		Program: "sleep", Package: "coreutils",
		Args: func(*kvs.ServerConfig, string, string) ([]string, error) { return args, nil },
		Dial: func(_ context.Context, c *kvs.DialConfig) (kvs.Remote, error) {
			f, err := look(c.Addr)
			return remote{facts: f}, err
		},
	}
}

// remote only has facts.
type remote struct {
	kvs.Remote
	facts kvs.Facts
}

func (r remote) Facts() kvs.Facts { return r.facts }
func (r remote) Close() error     { return nil }

func config() *kvs.ServerConfig {
	return &kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Items: 1, KeyBytes: 1, ValueBytes: 1, Setup: kvs.Setup{Mode: "cache"},
	}
}

// child returns the last process that this one started, by the name of its program.
func child(t *testing.T, program string) int {
	t.Helper()
	tasks := must.Get(os.ReadDir("/proc/self/task"))(t)
	for _, task := range tasks {
		text, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, pid := range strings.Fields(string(text)) {
			if comm, _ := os.ReadFile("/proc/" + pid + "/comm"); strings.TrimSpace(string(comm)) == program {
				n, _ := strconv.Atoi(pid)
				return n
			}
		}
	}
	return 0
}

// asked answers for the sleeper, with its process id.
func asked(t *testing.T) func(string) (kvs.Facts, error) {
	return func(string) (kvs.Facts, error) {
		return kvs.Facts{PID: child(t, "sleep"), Workers: 1, Setup: kvs.Setup{Mode: "cache"}}, nil
	}
}

func TestRefusals(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	k := sleeper(asked(t), "60")
	for want, change := range map[string]func(*kvs.ServerConfig){
		"allowed: HOST:PORT":       func(c *kvs.ServerConfig) { c.Listen = "nowhere" },
		"allowed: a port":          func(c *kvs.ServerConfig) { c.Listen = "127.0.0.1:70000" },
		"allowed: one IP address":  func(c *kvs.ServerConfig) { c.Listen = ":0" },
		"allowed: cache, store":    func(c *kvs.ServerConfig) { c.Mode = "sieve" },
		"at least one of each":     func(c *kvs.ServerConfig) { c.Workers = 0 },
		"allowed for this process": func(c *kvs.ServerConfig) { c.CPUs = []int{slices.Max(allowed) + 1} },
		"cannot assign":            func(c *kvs.ServerConfig) { c.Listen = "192.0.2.1:0" },
		"asked for 2 threads":      func(c *kvs.ServerConfig) { c.Workers = 2 },
		"and mode store, found":    func(c *kvs.ServerConfig) { c.Mode = "store" },
	} {
		cfg := config()
		change(cfg)
		s, err := Start(cfg, k)
		if err == nil {
			s.Close()
		}
		must.Fail(t, err, want)
	}
	if pid := child(t, "sleep"); pid != 0 {
		t.Errorf("process %d was left behind", pid)
	}
	none := &Kind{Program: "no-such-program", Package: "no-such-package"}
	_, err := Start(config(), none)
	must.Fail(t, err, "apt-get install no-such-package")
}

// TestEnds checks that Close ends the server, and that a server that ends by itself reports the
// reason.
func TestEnds(t *testing.T) {
	s := must.Get(Start(config(), sleeper(asked(t), "60")))(t)
	waited := make(chan error, 1)
	go func() { waited <- s.Wait() }()
	must.Do(t, s.Close())
	if err := <-waited; err != nil {
		t.Errorf("closed: %v", err)
	}
	s = must.Get(Start(config(), sleeper(asked(t), "60")))(t)
	must.Do(t, syscall.Kill(s.Facts().PID, syscall.SIGKILL))
	must.Do(t, s.Close()) // perhaps before anyone noticed
	must.Fail(t, s.Wait(), "killed")
}

// TestEndsBeforeItAnswers: its last words are the reason.
func TestEndsBeforeItAnswers(t *testing.T) {
	refused := func(string) (kvs.Facts, error) { return kvs.Facts{}, fmt.Errorf("refused") }
	_, err := Start(config(), sleeper(refused, "soundly"))
	must.Fail(t, err, "invalid time interval")
}

// TestAnotherServer checks that a foreign server on the program's address is not mistaken for the
// program.
func TestAnotherServer(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	cfg := config()
	cfg.Listen = l.Addr().String()
	other := func(string) (kvs.Facts, error) {
		return kvs.Facts{PID: 1, Workers: 1, Setup: kvs.Setup{Mode: "cache"}}, nil
	}
	_, err := Start(cfg, sleeper(other, "0.2"))
	must.Fail(t, err, "ended")
}

// TestPinned checks that the program runs on its CPUs, and that the starter's do not change.
func TestPinned(t *testing.T) {
	allowed, err := cpu.Allowed()
	if err != nil || len(allowed) < 2 {
		t.Skipf("this process has the CPUs %v only (%v)", allowed, err)
	}
	cfg := config()
	cfg.CPUs = allowed[len(allowed)-1:]
	s := must.Get(Start(cfg, sleeper(asked(t), "60")))(t)
	defer s.Close()
	here := &kvs.Endpoint{Network: "tcp", Addr: "127.0.0.1:1"}
	if got := PinnedTo(here, s.Facts().PID, "sleep"); !slices.Equal(got, cfg.CPUs) {
		t.Errorf("it may use %v, want %v", got, cfg.CPUs)
	}
	for addr, program := range map[string]string{"192.0.2.1:1": "sleep", "127.0.0.1:1": "another"} {
		if got := PinnedTo(&kvs.Endpoint{Network: "tcp", Addr: addr}, s.Facts().PID, program); got != nil {
			t.Errorf("%s at %s: %v", program, addr, got)
		}
	}
	if now, _ := cpu.Allowed(); !slices.Equal(now, allowed) {
		t.Errorf("the starter may use %v, and %v before", now, allowed)
	}
}

// TestStarterKilled checks that a server does not outlive its starter. The starter is this test in
// another process.
func TestStarterKilled(t *testing.T) {
	if os.Getenv("INSTALLED_STARTER") != "" {
		s := must.Get(Start(config(), sleeper(asked(t), "60")))(t)
		fmt.Println("pid", s.Facts().PID)
		time.Sleep(time.Minute)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestStarterKilled$")
	cmd.Env = append(os.Environ(), "INSTALLED_STARTER=1")
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	var pid int
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "pid %d", &pid)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if pid == 0 {
		t.Fatal("the starter told no process id")
	}
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(state), ") Z ") {
			return // dead, and waited for by nobody
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d outlived its starter", pid)
		}
	}
}

// TestAttach leaves the server as it is.
func TestAttach(t *testing.T) {
	s := must.Get(Start(config(), sleeper(asked(t), "60")))(t)
	defer s.Close()
	a := must.Get(Attach(&kvs.DialConfig{Addr: "127.0.0.1:1"}, sleeper(asked(t))))(t)
	waited := make(chan error, 1)
	go func() { waited <- a.Wait() }()
	must.Do(t, a.Close())
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if child(t, "sleep") != s.Facts().PID {
		t.Error("the server ended with the one that attached to it")
	}
}
