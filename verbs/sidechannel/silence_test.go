package sidechannel

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
)

const inNamespace = "DPUKV_TEST_SILENCE"

// TestSilentPeer cuts the wire to a peer, whose process lives on. The channel ends, whether data
// waits for an acknowledgement or not. A process in a network namespace of its own runs the test.
func TestSilentPeer(t *testing.T) {
	if os.Getenv(inNamespace) != "" {
		cutOff(t)
		return
	}
	if testing.Short() {
		t.Skip("it waits for seconds until a silent peer is given up")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestSilentPeer$", "-test.v")
	child.Env = append(os.Environ(), inNamespace+"=1")
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET, Pdeathsig: unix.SIGKILL,
	}
	if os.Getuid() != 0 {
		child.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	}
	runtime.LockOSThread() // the child dies with this thread
	defer runtime.UnlockOSThread()
	out, err := child.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) {
		t.Skipf("network namespaces are not allowed here (%v): no wire was cut", err)
	}
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// cutOff is the test, in its namespace.
func cutOff(t *testing.T) {
	theSilence.keepalive.Idle, theSilence.keepalive.Interval = time.Second, time.Second
	theSilence.keepalive.Count, theSilence.after = 1, 2*time.Second
	loopback(t, true)
	idle, _ := channels(t)
	sending, _ := channels(t)
	loopback(t, false)
	must.Do(t, sending.Send("into the void"))
	for name, c := range map[string]*Channel{"idle": idle, "sending": sending} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan error, 1)
			go func() { ended <- c.AwaitEnd() }()
			select {
			case err := <-ended:
				if !isSilence(err) {
					t.Errorf("found %v", err)
				}
			case <-time.After(time.Minute):
				t.Error("the channel does not end")
				_ = c.Close()
				<-ended
			}
		})
	}
}

// isSilence reports whether an error is TCP's for a peer that says nothing: the last failure of a
// packet, or that the time is over.
func isSilence(err error) bool {
	return errors.Is(err, unix.ETIMEDOUT) || errors.Is(err, unix.EHOSTUNREACH) ||
		errors.Is(err, unix.ENETUNREACH)
}

// loopback switches the namespace's only wire.
func loopback(t *testing.T, on bool) {
	t.Helper()
	fd := must.Get(unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))(t)
	defer unix.Close(fd)
	request := must.Get(unix.NewIfreq("lo"))(t)
	request.SetUint16(0)
	if on {
		request.SetUint16(unix.IFF_UP)
	}
	must.Do(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request))
}
