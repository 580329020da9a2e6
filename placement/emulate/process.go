package emulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"dpukv/placement/emulate/keeper"
)

// closePatience is the time for the keeper to end processes and remove groups: its own deadlines,
// and some more.
const closePatience = 20 * time.Second

// process is the keeper, from the owner's side.
type process struct {
	cmd    *exec.Cmd
	client *rpc.Client
	stderr bytes.Buffer
	done   chan struct{} // closed when it has ended,
	err    error         // then with this
	// namespaces are the machines' namespaces. They are open, so that processes there are found if
	// the keeper dies first.
	namespaces []*os.File

	closeOnce sync.Once
	closeErr  error
}

// startKeeper runs the keeper in a session of its own, so that a terminal's Ctrl-C reaches only the
// owner. If the owner may not make namespaces, the keeper runs in a user namespace.
func startKeeper(command []string, userNamespace bool) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if userNamespace {
		p.cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		p.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		p.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.client = jsonrpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{out, in})
	go p.wait()
	return p, nil
}

func (p *process) wait() {
	// Wait may take an unread reply away from the client. But the keeper ends only when no reply is
	// needed any more, or by accident.
	p.err = p.cmd.Wait()
	p.client.Close()
	close(p.done)
}

// call sends the keeper a request.
func (p *process) call(method string, args, reply any) error {
	return p.callContext(context.Background(), method, args, reply)
}

func (p *process) callContext(ctx context.Context, method string, args, reply any) error {
	call := p.client.Go(keeper.Name+"."+method, args, reply, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var said rpc.ServerError
	if call.Error == nil || errors.As(call.Error, &said) {
		return call.Error
	}
	return p.gone()
}

// gone returns the error of a keeper that no longer answers.
func (p *process) gone() error {
	select {
	case <-p.done:
		return p.exitReason()
	case <-time.After(closePatience):
		return fmt.Errorf("the emulated testbed does not answer: its keeper is PID %d",
			p.cmd.Process.Pid)
	}
}

// exitReason of a keeper that ended though nobody told it to, or not as it was told.
func (p *process) exitReason() error {
	words := "exit status 0"
	if p.err != nil {
		words = p.err.Error()
	}
	words = strings.TrimSpace(words + "\n" + p.stderr.String())
	return fmt.Errorf("the emulated testbed is gone: its keeper (PID %d) ended: %s",
		p.cmd.Process.Pid, words)
}

// Done returns a channel that is closed when the lab is gone, by Close or by accident.
func (p *process) Done() <-chan struct{} { return p.done }

// Close ends all processes on the machines and removes the machines. It may be called more than
// once. It returns an error if the keeper had ended before, by itself. In that case, too, nothing
// is left.
func (p *process) Close() error {
	p.closeOnce.Do(func() {
		orderly := p.end()
		var errs []error
		if !orderly {
			errs = append(errs, p.exitReason(), keeper.EndIn(p.namespaces), keeper.Sweep())
		}
		for _, f := range p.namespaces {
			errs = append(errs, f.Close())
		}
		p.closeErr = errors.Join(errs...)
	})
	return p.closeErr
}

// end ends the keeper, and reports whether the keeper ended in order.
func (p *process) end() (orderly bool) {
	select {
	case <-p.done:
		return false
	default:
	}
	p.client.Close()
	select {
	case <-p.done:
	case <-time.After(closePatience):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	return p.err == nil
}

// open opens the keeper's namespaces.
func (p *process) open(held *keeper.Held) error {
	for _, fd := range held.FDs {
		f, err := os.Open(fmt.Sprintf("/proc/%d/fd/%d", held.PID, fd))
		if err != nil {
			return err
		}
		p.namespaces = append(p.namespaces, f)
	}
	return nil
}
