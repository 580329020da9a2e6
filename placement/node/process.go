package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
	"dpukv/internal/killed"
)

// Process is a node's process as the orchestrator sees it. One goroutine at a time may wait for its
// messages.
type Process struct {
	Node  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   MessageWriter

	timeouts Timeouts
	// Explain tells in plain words why the process ended, from its last output. nil: no
	// explanation.
	Explain func(said string, err error) error

	inbox  chan Message  // closed when nothing more comes
	unread chan struct{} // closed when nobody reads the inbox any more
	Ended  chan struct{} // closed once the process is gone and waited for
	stderr TailBuffer

	Endings  Endings // of its node's processes
	insisted bool    // close sent it a signal; set before close returns
	endless  bool    // read killed it; set before ended is closed

	readErr error   // why the inbox was closed early; set before it is closed
	said    *Failed // its failed message; set before ended is closed
	waitErr error   // set before ended is closed
}

// StartProcess starts argv, which becomes the agent of a node.
func StartProcess(node string, argv []string, timeouts Timeouts) (*Process, error) {
	p := &Process{
		Node: node, cmd: exec.Command(argv[0], argv[1:]...), timeouts: timeouts,
		inbox: make(chan Message, 16), unread: make(chan struct{}), Ended: make(chan struct{}),
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a grandchild may hold the pipes open
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		// A Ctrl-C at the terminal goes to the orchestrator only, which then ends its processes in
		// order.
		Setpgid: true,
		// The last resort for a killed orchestrator: normally a node ends when its stdin does.
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
	p.stdin, p.out.W, p.cmd.Stdout = stdin, stdin, stdoutW

	started := make(chan error)
	go p.wait(started, stdout, stdoutW)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("node %s: start %q: %w", node, argv, err)
	}
	go p.keepAlive()
	return p, nil
}

// keepAlive sends the node signs of life until it has ended.
func (p *Process) keepAlive() {
	tick := time.NewTicker(p.timeouts.Alive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.Send(&alive{})
		case <-p.Ended:
			return
		}
	}
}

// wait runs the process from start to end. It keeps its thread: the kernel sends Pdeathsig at the
// end of the thread that started the process, not at the end of the parent process.
func (p *Process) wait(started chan<- error, stdout, stdoutW *os.File) {
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
	close(p.Ended)
}

// read fills the inbox. After the last message it reads a little more, lest the process block.
func (p *Process) read(stdout io.Reader) {
	p.readErr = ReadMessages(stdout, func(m Message) bool {
		if f, ok := m.(*Failed); ok {
			p.said = f
		}
		select {
		case p.inbox <- m:
			return true
		case <-p.unread:
			return true // until its failed message
		}
	})
	close(p.inbox)
	// A process that writes on and on is not asked to end.
	_, err := io.Copy(io.Discard, foreign.NewLimit(stdout, "what follows", MaxMessageBytes))
	if p.endless = foreign.Over(err); p.endless {
		_ = p.cmd.Process.Kill() // fails only if it has ended
		io.Copy(io.Discard, stdout)
	}
}

// Send sends one message. A failure is no error here: the missing answer shows it later, with more
// detail.
func (p *Process) Send(m Message) { _ = p.out.Send(m) }

// receive waits for the next message until the timeout has passed since a time. The task describes
// what the process was asked, for the error.
func (p *Process) receive(
	ctx context.Context, since time.Time, timeout time.Duration, task string,
) (Message, error) {
	timer := time.NewTimer(time.Until(since.Add(timeout)))
	defer timer.Stop()
	select {
	case m, ok := <-p.inbox:
		if !ok {
			return nil, p.death(task)
		}
		if f, isFailed := m.(*Failed); isFailed {
			return nil, fmt.Errorf("node %s: %s", p.Node, f.Error)
		}
		return m, nil
	case <-timer.C:
		return nil, fmt.Errorf("node %s: nothing for %v when asked to %s%s", p.Node,
			time.Since(since).Round(100*time.Millisecond), task, p.lastLines())
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Expect waits for a message of one type. It refuses one that fails its own Check.
func Expect[M Message](
	ctx context.Context, p *Process, timeout time.Duration, task string,
) (M, error) {
	return Follow[M](ctx, p, timeout, task, nil)
}

// Follow is Expect for a longer task: it shows the progress that comes before the message. A
// process that stores or finds further keys, or whose set-up uses CPU time, has the whole timeout
// again, so a slow one is not taken for a hung one.
func Follow[M Message](
	ctx context.Context, p *Process, timeout time.Duration, task string, show func(*Progress),
) (M, error) {
	var none M
	var last Progress
	for since := time.Now(); ; {
		m, err := p.receive(ctx, since, timeout, task)
		if err != nil {
			return none, err
		}
		if got, ok := m.(M); ok {
			if c, checks := m.(interface{ Check() error }); checks {
				if err := c.Check(); err != nil {
					return none, fmt.Errorf("node %s: %w", p.Node, err)
				}
			}
			return got, nil
		}
		if r, isResult := m.(*Result); isResult && r.Point.Error != "" {
			return none, &FailedPoint{p.Node, r} // it did not get as far as it should
		}
		step, ok := m.(*Progress)
		if !ok || show == nil {
			return none, fmt.Errorf("node %s: asked to %s, it answered with the message %s "+
				"instead of %s", p.Node, task, m.kind(), none.kind())
		}
		if step.Done != last.Done || step.Phase != last.Phase {
			since, last = time.Now(), *step
		}
		show(step)
	}
}

// FailedPoint is the error of a client that reports the failure of its own point.
type FailedPoint struct {
	node string
	Res  *Result
}

func (f *FailedPoint) Error() string { return "node " + f.node + ": " + f.Res.Point.Error }

// death tells why no more messages come.
func (p *Process) death(task string) error {
	if p.readErr != nil && !errors.Is(p.readErr, os.ErrDeadlineExceeded) {
		return fmt.Errorf("node %s: asked to %s, it %w%s", p.Node, task, p.readErr, p.lastLines())
	}
	select {
	case <-p.Ended:
	case <-time.After(2 * time.Second):
		return fmt.Errorf("node %s: asked to %s, it closed its output%s", p.Node, task,
			p.lastLines())
	}
	err := fmt.Errorf("node %s: asked to %s, it %s%s", p.Node, task, p.Endings.how(p.waitErr),
		p.lastLines())
	if p.Explain != nil {
		return p.Explain(p.stderr.String(), err)
	}
	return err
}

// Lost returns an error if the process ended because the connection to its node was lost. It
// returns nil if the process ended otherwise, or has not ended.
func (p *Process) Lost() error {
	select {
	case <-p.Ended:
	default:
		return nil
	}
	if p.Explain == nil || p.waitErr == nil {
		return nil
	}
	if why := p.Explain(p.stderr.String(), p.waitErr); why != p.waitErr {
		return why
	}
	return nil
}

func (p *Process) lastLines() string {
	if lines := p.stderr.Lines(); lines != "" {
		return "; its last words:" + lines
	}
	return ""
}

// killedWithin is how many times longer a killed process may take than one that ends by itself.
const killedWithin = 10

// Close ends the process: it asks first, then sends signals. It returns once the process is gone.
func (p *Process) Close() error {
	close(p.unread)
	p.Send(&Stop{})
	p.stdin.Close()
	if p.endedWithin(p.timeouts.Stop) {
		return nil
	}
	p.insisted = true
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only if it is gone
	if p.endedWithin(p.timeouts.Kill) {
		return nil
	}
	_ = p.cmd.Process.Kill()
	// A busy machine takes its time to clear up: only a process that hangs takes so long.
	if p.endedWithin(killedWithin * p.timeouts.Kill) {
		return nil
	}
	return fmt.Errorf("node %s: process %d does not end even when killed: it hangs in the kernel",
		p.Node, p.cmd.Process.Pid)
}

func (p *Process) endedWithin(d time.Duration) bool {
	select {
	case <-p.Ended:
		return true
	case <-time.After(d):
		return false
	}
}

// ExitReason tells why a process ended before its task was done.
func (p *Process) ExitReason(task string) error {
	for m := range p.inbox {
		if f, isFailed := m.(*Failed); isFailed {
			return fmt.Errorf("node %s: %s", p.Node, f.Error)
		}
	}
	return p.death(task)
}

// OwnEnd tells why a process ended by itself: from its failed message as a server, or from a signal
// that nobody here sent. It returns nil if the process was told to end, or if the reason is
// unknown.
func (p *Process) OwnEnd(server bool) error {
	select {
	case <-p.Ended:
	default:
		return nil
	}
	switch {
	case server && p.said != nil: // a client's failed message tells of what it saw
		return fmt.Errorf("node %s: %s", p.Node, p.said.Error)
	case killed.By(p.waitErr) && !p.insisted && !p.endless:
		return fmt.Errorf("node %s: its process %s", p.Node, p.Endings.how(p.waitErr))
	}
	return nil
}

// NamedIn tells whether an error already names a process's end.
func (p *Process) NamedIn(err error) bool {
	text, name := err.Error(), "node "+p.Node+": "
	if p.said != nil {
		return strings.Contains(text, name+p.said.Error)
	}
	return strings.Contains(text, name) && strings.Contains(text, "was killed by signal 9")
}
