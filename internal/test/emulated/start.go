package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// drain is how long the output of a test binary that has ended may stay open. The go command waits
// as long.
const drain = time.Minute

// killed is the status of a test binary that SIGKILL ended.
const killed = 128 + int(syscall.SIGKILL)

// ending tells how one run of a test binary ended.
type ending struct {
	status int  // its exit status
	hung   int  // the process that hung in a fork, or 0
	failed bool // whether a test had failed when the fork hung
}

// runOnce runs a test binary until it ends or a fork hangs.
func runOnce(argv []string, after time.Duration) (ending, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return ending{}, err
	}
	defer read.Close()
	pid, err := start(argv, write)
	write.Close()
	if err != nil {
		return ending{}, err
	}
	output, closed := &verdicts{to: os.Stdout}, make(chan error, 1)
	go func() {
		_, err := io.Copy(output, read)
		closed <- err
	}()
	done, hung := make(chan struct{}), make(chan int)
	go func() { hung <- supervise(pid, after, done) }()
	end := ending{status: reap(pid)}
	close(done)
	if p := <-hung; p != 0 && end.status == killed { // otherwise it has ended by itself
		end.hung = p
		killDescendants()
	}
	select {
	case err = <-closed:
	case <-time.After(drain):
		err = fmt.Errorf("found its output open %v after its end, allowed: closed; "+
			"to do: end the processes that its tests start", drain)
	}
	end.failed = output.failed.Load()
	return end, err
}

// start starts a test binary in a process group of its own: a signal reaches it once.
func start(argv []string, stdout *os.File) (pid int, err error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return 0, err
	}
	p, err := os.StartProcess(path, argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, err
	}
	pid = p.Pid
	return pid, p.Release() // reap waits for it, together with orphans
}

// supervise passes signals on to a test binary until done, and kills it if one of its forks hangs.
// It returns the hung process, or 0.
func supervise(pid int, after time.Duration, done <-chan struct{}) (hung int) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	defer signal.Stop(signals)
	look := time.NewTicker(max(after/10, time.Millisecond))
	defer look.Stop()
	w := watch{proc: "/proc", after: after}
	for {
		select {
		case <-done:
			return 0
		case s := <-signals:
			_ = syscall.Kill(pid, s.(syscall.Signal))
		case now := <-look.C:
			if p := w.hung(os.Getpid(), now); p != 0 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				return p
			}
		}
	}
}

// reap waits for a child, and for the orphans that end before it.
func reap(pid int) (status int) {
	for {
		var ws syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR) || err == nil && ended != pid:
		case err != nil:
			fmt.Fprintln(os.Stderr, "emulated: wait4:", err)
			return 1
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			return ws.ExitStatus()
		}
	}
}
