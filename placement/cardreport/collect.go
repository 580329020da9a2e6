package cardreport

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

// Report has a node's answers to all probes.
type Report struct {
	Node    string   `json:"node,omitempty"`
	When    string   `json:"when"`
	Answers []Answer `json:"answers"`
}

// Answer is a probe's command with its outcome.
type Answer struct {
	Name    string   `json:"name"`
	Command []string `json:"command"`
	Exit    int      `json:"exit"` // -1: it was not run, or did not end by itself
	Stdout  string   `json:"stdout,omitempty"`
	Stderr  string   `json:"stderr,omitempty"`
	// NotRun says why there is no output.
	NotRun string `json:"not_run,omitempty"`
}

// The limits of a report. Commands of a card's firmware take seconds each.
const (
	probeTimeout = 20 * time.Second
	maxOutput    = 256 << 10
	atOnce       = 4
)

// Timeout bounds a whole report.
const Timeout = 2 * time.Minute

// Collect runs all probes on this machine. It changes nothing.
func Collect(ctx context.Context) *Report { return collect(ctx, "/sys", os.Geteuid()) }

func collect(ctx context.Context, sys string, uid int) *Report {
	ctx, cancel := context.WithTimeoutCause(ctx, Timeout,
		fmt.Errorf("all probes took more than %v", Timeout))
	defer cancel()
	list := probes(sys)
	r := &Report{When: time.Now().UTC().Format(time.RFC3339), Answers: make([]Answer, len(list))}
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range list {
		all.Go(func() {
			slots <- struct{}{}
			r.Answers[i] = ask(ctx, &list[i], uid)
			<-slots
		})
	}
	all.Wait()
	r.Answers = append(r.Answers, login())
	return r
}

// rootPath is where root's tools are. A login without root often lacks it.
const rootPath = "/usr/local/sbin:/usr/sbin:/sbin"

// ask runs a probe.
func ask(ctx context.Context, p *Probe, uid int) Answer {
	a := Answer{Name: p.Name, Command: p.Run, Exit: -1}
	if p.Root && uid != 0 {
		a.NotRun = "it needs root's rights (sudo: true for the node, or user: root)"
		return a
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeTimeout,
		fmt.Errorf("it took more than %v", probeTimeout))
	defer cancel()
	search := "PATH=" + os.Getenv("PATH") + ":" + rootPath
	argv := append([]string{"env", "LC_ALL=C", search}, p.Run...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stderr foreign.Tail
	out := &head{}
	cmd.Stdout, cmd.Stderr = out, &stderr
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	a.Stdout, a.Stderr = out.text(), stderr.String()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		a.NotRun = context.Cause(ctx).Error()
	case err == nil || errors.As(err, &exit):
		a.Exit = cmd.ProcessState.ExitCode()
	default:
		a.NotRun = err.Error()
	}
	return a
}

// head keeps the first bytes of an output.
type head struct {
	kept    []byte
	dropped int
}

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), maxOutput-len(h.kept))
	h.kept = append(h.kept, b[:n]...)
	h.dropped += len(b) - n
	return len(b), nil
}

func (h *head) text() string {
	text := strings.ToValidUTF8(string(h.kept), "\uFFFD")
	if h.dropped > 0 {
		text += fmt.Sprintf("\n… %d bytes more\n", h.dropped)
	}
	return text
}

// login tells by which address of this machine an ssh connection came. sudo hides the variable, so
// those of the processes above are read, too.
func login() Answer {
	a := Answer{Name: loginProbe, Command: []string{"printenv", "SSH_CONNECTION"}, Exit: 1}
	for pid := os.Getpid(); pid > 1; pid = parent(pid) {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err != nil {
			break
		}
		for _, v := range strings.Split(string(env), "\x00") {
			if value, ok := strings.CutPrefix(v, "SSH_CONNECTION="); ok {
				a.Stdout, a.Exit = value+"\n", 0
				return a
			}
		}
	}
	return a
}

// parent returns a process's parent; 0: unknown.
func parent(pid int) int {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	if f := strings.Fields(rest); len(f) > 1 {
		n, _ := strconv.Atoi(f[1])
		return n
	}
	return 0
}

// loginAddress returns the address of this machine in SSH_CONNECTION.
func loginAddress(text string) string {
	f := strings.Fields(text)
	if len(f) != 4 {
		return ""
	}
	if a, err := netip.ParseAddr(f[2]); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return ""
}
