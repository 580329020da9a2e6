package daemon

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
)

// daemon is a server that runs until the test ends.
type daemon struct {
	cmd   *exec.Cmd
	said  output
	ended chan struct{}
}

// isolate prepares process and mount namespaces, runs the set-up in $0, and becomes the server.
const isolate = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
eval "$0"
exec "$@"`

// start runs a server in a network. The set-up is sh code that runs as root in the server's mount
// namespace.
func start(t testing.TB, n *Net, setup string, argv ...string) *daemon {
	t.Helper()
	d := &daemon{ended: make(chan struct{})}
	// The kernel sends this signal when the thread that started the process ends. So that thread
	// waits below.
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		kernel.NeedClone(t)
		attr.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
		argv = append([]string{"sh", "-c", isolate, setup}, argv...)
	}
	d.cmd = exec.Command(argv[0], argv[1:]...)
	d.cmd.SysProcAttr, d.cmd.Stdout, d.cmd.Stderr = attr, &d.said, &d.said
	d.cmd.WaitDelay = time.Second
	started := make(chan error)
	go func() {
		defer close(d.ended)
		// for good: the thread is in another network, and ends with the goroutine
		runtime.LockOSThread()
		err := n.enter()
		if err == nil {
			err = d.cmd.Start()
		}
		started <- err
		if err == nil {
			_ = d.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", argv[0], err)
	}
	t.Cleanup(func() {
		d.kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", argv[len(argv)-1], d.said.String())
		}
	})
	return d
}

// kill ends the server. As root it is the first process of its namespace, so all others end with
// it.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // fails only if it is gone
	<-d.ended
}

// awaitOutput waits until the server reports that it is ready.
func (d *daemon) awaitOutput(t testing.TB, words string) {
	t.Helper()
	d.await(t, words, func() bool { return strings.Contains(d.said.String(), words) })
}

// patience is how long a daemon may take to get ready on a machine with much else to do.
const patience = 2 * time.Minute

func (d *daemon) await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		select {
		case <-d.ended:
			t.Fatalf("%s ended before %s:\n%s", d.cmd, what, d.said.String())
		default:
		}
		if time.Since(begun) > patience {
			t.Fatalf("waited in vain for %s of %s:\n%s", what, d.cmd, d.said.String())
		}
	}
}

// output is the output of a server.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// NeedRoot skips a test that makes namespaces or mounts.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: it makes namespaces and mounts")
	}
}
