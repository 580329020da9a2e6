package placement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a node's process as the orchestrator sees it. One goroutine at a time may wait for its messages.
type process struct {
	node  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   messageWriter

	patience patience
	// explain says in plain words why it ended, by what it said last; nil: nothing is known of that.
	explain func(said string, err error) error

	inbox  chan message  // closed when nothing more comes
	unread chan struct{} // closed when nobody reads the inbox any more
	ended  chan struct{} // closed once the process is gone and waited for
	stderr tail

	endings  endings // of its node's processes
	insisted bool    // it was sent a signal; set before close returns

	readErr error   // why the inbox was closed early; set before it is closed
	said    *failed // its last word; set before ended is closed
	waitErr error   // set before ended is closed
}

// startProcess starts argv, which is to become the agent of a node.
func startProcess(node string, argv []string, patience patience) (*process, error) {
	p := &process{
		node: node, cmd: exec.Command(argv[0], argv[1:]...), patience: patience,
		inbox: make(chan message, 16), unread: make(chan struct{}), ended: make(chan struct{}),
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a grandchild may hold the pipes open
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		// A Ctrl-C at the terminal is for the orchestrator, which then ends its processes in good order.
		Setpgid: true,
		// The last resort should the orchestrator be killed: normally a node ends when its stdin does.
		Pdeathsig: syscall.SIGKILL,
	}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", node, err)
	}
	stdout, stdoutW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", node, err)
	}
	p.stdin, p.out.w, p.cmd.Stdout = stdin, stdin, stdoutW

	started := make(chan error)
	go p.wait(started, stdout, stdoutW)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("node %s: start %q: %w", node, argv, err)
	}
	go p.keepAlive()
	return p, nil
}

// keepAlive lets the node know that it is still wanted, until it has ended.
func (p *process) keepAlive() {
	tick := time.NewTicker(p.patience.alive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.send(&alive{})
		case <-p.ended:
			return
		}
	}
}

// wait runs the process from start to end. It keeps its thread: the kernel sends
// Pdeathsig when the thread that started the process ends, not the process it belongs to.
func (p *process) wait(started chan<- error, stdout, stdoutW *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	stdoutW.Close()
	if err != nil {
		stdout.Close()
		started <- err
		return
	}
	started <- nil
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(stdout)
	}()
	p.waitErr = p.cmd.Wait()
	stdout.SetReadDeadline(time.Now().Add(time.Second)) // as with WaitDelay
	<-read
	stdout.Close()
	close(p.ended)
}

// read fills the inbox. After the last message it goes on reading, lest the process block.
func (p *process) read(stdout io.Reader) {
	p.readErr = readMessages(stdout, func(m message) bool {
		if f, ok := m.(*failed); ok {
			p.said = f
		}
		select {
		case p.inbox <- m:
			return true
		case <-p.unread:
			return true // until its last word
		}
	})
	close(p.inbox)
	io.Copy(io.Discard, stdout)
}

// send sends one message. That it could not be sent shows when the answer does not come, with more to
// tell, so that is no error here.
func (p *process) send(m message) { _ = p.out.send(m) }

// receive waits until the deadline for the next message. The task says what the process was asked, for the error.
func (p *process) receive(ctx context.Context, deadline time.Time, task string) (message, error) {
	begun, timer := time.Now(), time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case m, ok := <-p.inbox:
		if !ok {
			return nil, p.death(task)
		}
		if f, isFailed := m.(*failed); isFailed {
			return nil, fmt.Errorf("node %s: %s", p.node, f.Error)
		}
		return m, nil
	case <-timer.C:
		return nil, fmt.Errorf("node %s: nothing for %v when asked to %s%s", p.node, time.Since(begun).Round(100*time.Millisecond), task, p.lastWords())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// expect waits for a message of one type.
func expect[M message](ctx context.Context, p *process, timeout time.Duration, task string) (M, error) {
	return follow[M](ctx, p, timeout, task, nil)
}

// follow is expect for a task that takes a while: it shows the progress that comes before the message.
func follow[M message](ctx context.Context, p *process, timeout time.Duration, task string, show func(*progress)) (M, error) {
	var none M
	for deadline := time.Now().Add(timeout); ; {
		m, err := p.receive(ctx, deadline, task)
		if err != nil {
			return none, err
		}
		if got, ok := m.(M); ok {
			return got, nil
		}
		if r, isResult := m.(*result); isResult && r.Point.Error != "" {
			return none, &failedPoint{p.node, r} // it did not get as far as it was asked to
		}
		step, ok := m.(*progress)
		if !ok || show == nil {
			return none, fmt.Errorf("node %s: asked to %s, it answered with the message %s instead of %s", p.node, task, m.kind(), none.kind())
		}
		show(step)
	}
}

// failedPoint is the error of a client that says itself that its point failed.
type failedPoint struct {
	node string
	res  *result
}

func (f *failedPoint) Error() string { return "node " + f.node + ": " + f.res.Point.Error }

// death says why nothing more comes.
func (p *process) death(task string) error {
	if p.readErr != nil && !errors.Is(p.readErr, os.ErrDeadlineExceeded) {
		return fmt.Errorf("node %s: asked to %s, it %w%s", p.node, task, p.readErr, p.lastWords())
	}
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
		return fmt.Errorf("node %s: asked to %s, it closed its output%s", p.node, task, p.lastWords())
	}
	err := fmt.Errorf("node %s: asked to %s, it %s%s", p.node, task, p.endings.how(p.waitErr), p.lastWords())
	if p.explain != nil {
		return p.explain(p.stderr.String(), err)
	}
	return err
}

// lost says so if the process ended with the way to its node; nil if it did not, or has not ended.
func (p *process) lost() error {
	select {
	case <-p.ended:
	default:
		return nil
	}
	if p.explain == nil || p.waitErr == nil {
		return nil
	}
	if why := p.explain(p.stderr.String(), p.waitErr); why != p.waitErr {
		return why
	}
	return nil
}

func (p *process) lastWords() string {
	if lines := p.stderr.lines(); lines != "" {
		return "; its last words:" + lines
	}
	return ""
}

// close makes the process end: it asks, then insists. It returns once the process is gone.
func (p *process) close() error {
	close(p.unread)
	p.send(&stop{})
	p.stdin.Close()
	if p.endedWithin(p.patience.stop) {
		return nil
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p.insisted = true
		_ = p.cmd.Process.Signal(sig) // fails only if it is gone
		if p.endedWithin(p.patience.kill) {
			return nil
		}
	}
	return fmt.Errorf("node %s: process %d does not end even when killed: it hangs in the kernel", p.node, p.cmd.Process.Pid)
}

func (p *process) endedWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// obituary says why a process ended that was left alone with its task.
func (p *process) obituary(task string) error {
	for m := range p.inbox {
		if f, isFailed := m.(*failed); isFailed {
			return fmt.Errorf("node %s: %s", p.node, f.Error)
		}
	}
	return p.death(task)
}
