package installed

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
	"dpukv/internal/killed"

	"golang.org/x/sys/unix"
)

// How long a program may take to end when asked, and when killed.
const (
	stopTimeout = 5 * time.Second
	killTimeout = 2 * time.Second
)

// process is a running program.
type process struct {
	cmd    *exec.Cmd
	output tailBuffer
	count  killed.Count  // before it was started
	ended  chan struct{} // closed once it is gone and waited for
	err    error         // set before ended is closed
}

// startProcess runs a program on CPUs, all if there are none named.
func startProcess(path string, args []string, cpus []int) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), count: killed.Now(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   true, // a Ctrl-C at the terminal is for the starter
		Pdeathsig: syscall.SIGKILL,
	}
	started := make(chan error)
	go p.run(cpus, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return p, nil
}

// run starts the process and waits for its end, on a thread of its own: the process inherits that
// thread's CPUs, and the kernel sends Pdeathsig when that thread ends. It is never unlocked, so
// that nobody else gets a thread with those CPUs.
func (p *process) run(cpus []int, started chan<- error) {
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

// inheritable keeps the calling thread on cpus.
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

// stop makes the process end, and returns once it is gone.
func (p *process) stop() error {
	for _, try := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGTERM, stopTimeout}, {syscall.SIGKILL, killTimeout}} {
		_ = p.cmd.Process.Signal(try.signal) // fails only if it is gone
		if p.endedWithin(try.limit) {
			return nil
		}
	}
	return fmt.Errorf("%s: process %d does not end even when killed: it hangs in the kernel", p.cmd.Path, p.cmd.Process.Pid)
}

func (p *process) endedWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// exitReason says how an ended process ended.
func (p *process) exitReason() error {
	how := killed.How(p.err, p.count, killed.Now())
	if words := strings.TrimSpace(p.output.String()); words != "" {
		how += "; its last words: " + words
	}
	return errors.New(p.cmd.Path + " " + how)
}

// outputBytes is how much of a program's output is kept for the reason of its end.
const outputBytes = 1000

// tailBuffer keeps the last of what is written to it.
type tailBuffer struct{ foreign.Tail }

func (t *tailBuffer) Write(b []byte) (int, error) {
	t.Keep(b, outputBytes)
	return len(b), nil
}
