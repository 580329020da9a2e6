package program

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/foreign"
	"dpukv/internal/killed"

	"golang.org/x/sys/unix"
)

// A program has this long to end after SIGTERM, and after SIGKILL.
const (
	stopTimeout = 5 * time.Second
	killTimeout = 2 * time.Second
)

// Process is a running program.
type Process struct {
	cmd    *exec.Cmd
	output tailBuffer
	count  killed.Count  // as of before the start
	ended  chan struct{} // closed once the process has ended and was waited for
	err    error         // set before ended is closed
	sent   atomic.Int32  // the last signal of Stop
}

// NotInstalled is the error of a program that was not found.
type NotInstalled struct {
	Name      string
	Debian    string // the package, if there is one
	Otherwise string // what to do without the program
}

func (e NotInstalled) Error() string {
	from := "Debian: apt-get install " + e.Debian
	if e.Debian == "" {
		from = "Debian has no package of it"
	}
	return fmt.Sprintf("%s is not in PATH: install it (%s), or %s", e.Name, from, e.Otherwise)
}

// Find returns the path of a program. Its error names Debian's package.
func Find(name, debian, otherwise string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", NotInstalled{name, debian, otherwise}
	}
	return path, nil
}

// Start runs a program on the given CPUs, or on all if there are none. What it writes to stdout
// goes to the given writer; nil: to its output, with what it writes to stderr.
func Start(path string, args []string, cpus []int, stdout io.Writer) (*Process, error) {
	p := &Process{cmd: exec.Command(path, args...), count: killed.Now(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = stdout, &p.output
	if stdout == nil {
		p.cmd.Stdout = &p.output
	}
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   true, // Ctrl-C at the terminal is meant for the starter
		Pdeathsig: syscall.SIGKILL,
	}
	started := make(chan error)
	go p.run(cpus, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return p, nil
}

// PID is the process's ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed once the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err returns why an ended process failed, or nil.
func (p *Process) Err() error { return p.err }

// Output returns the end of what the process wrote.
func (p *Process) Output() string { return p.output.String() }

// CPUNs is the CPU time so far, user and system, also of threads that have ended.
func (p *Process) CPUNs() int64 {
	select {
	case <-p.ended:
	default:
		if ns, err := cpu.NsOf(p.PID()); err == nil {
			return ns
		}
		<-p.ended // it ends just now
	}
	s := p.cmd.ProcessState
	return int64(s.UserTime() + s.SystemTime())
}

// run starts the process and waits for its end, on a thread of its own. The process inherits that
// thread's CPUs, and the kernel sends Pdeathsig when that thread ends. run never unlocks the
// thread, so that no other goroutine runs with those CPUs.
func (p *Process) run(cpus []int, started chan<- error) {
	runtime.LockOSThread()
	err := inheritable(cpus)
	if err == nil {
		err = p.cmd.Start()
	}
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.ended)
}

// inheritable pins the calling thread to cpus.
func inheritable(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pin to CPUs %v: %w", cpus, err)
	}
	return nil
}

// Stop ends the process, and returns once it has ended.
func (p *Process) Stop() error {
	for _, try := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGTERM, stopTimeout}, {syscall.SIGKILL, killTimeout}} {
		p.sent.Store(int32(try.signal))
		_ = p.cmd.Process.Signal(try.signal) // fails only if it has ended
		if p.endedWithin(try.limit) {
			return nil
		}
	}
	return fmt.Errorf("%s: process %d survived SIGKILL: it hangs in the kernel",
		p.cmd.Path, p.cmd.Process.Pid)
}

func (p *Process) endedWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// Stopped tells of a process that has ended whether a signal of [Process.Stop] may have done so.
// Another signal came before.
func (p *Process) Stopped() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return !ok || !status.Signaled() || int32(status.Signal()) == p.sent.Load() ||
		status.Signal() == syscall.SIGTERM
}

// Reason describes how the process ended.
func (p *Process) Reason() error {
	how := killed.How(p.err, p.count, killed.Now())
	if words := p.output.Shown(); words != "" {
		how += "; its last output: " + words
	}
	return errors.New(p.cmd.Path + " " + how)
}

// outputBytes is how much of a program's output is kept to explain its end.
const outputBytes = 1000

// tailBuffer keeps the end of the written output.
type tailBuffer struct{ foreign.Tail }

func (t *tailBuffer) Write(b []byte) (int, error) {
	t.Keep(b, outputBytes)
	return len(b), nil
}
