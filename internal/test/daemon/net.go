package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/programs"
)

// Net is a network namespace with a link to this one. It has no name, so it ends with the test.
type Net struct {
	Here, There string // addresses of the link's ends
	link        string // its end here
	ns          *os.File
}

var nets atomic.Uint32

// NewNet makes a network.
func NewNet(t testing.TB) *Net {
	t.Helper()
	NeedRoot(t)
	programs.Need(t, "ip")
	ns, err := newNamespace()
	if err != nil {
		t.Skipf("network namespaces are not allowed here: %v", err)
	}
	t.Cleanup(func() { ns.Close() })
	// RFC 2544 reserves 198.18.0.0/15 for tests of networks. Each process and network takes four
	// addresses.
	i := (uint32(os.Getpid())*16 + nets.Add(1)) << 2 & 0x1fffc
	n := &Net{Here: address(i + 1), There: address(i + 2), link: fmt.Sprintf("dpukvt%x", i), ns: ns}
	n.ip(t, nil, fmt.Sprintf("link add %s type veth peer name eth0 netns /proc/%d/fd/%d", n.link,
		os.Getpid(), ns.Fd()))
	// sooner than the kernel would
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", n.link).Run() })
	n.ip(t, nil, "addr add "+n.Here+"/30 dev "+n.link)
	n.ip(t, nil, "link set up dev "+n.link)
	n.ip(t, n, "addr add "+n.There+"/30 dev eth0")
	n.ip(t, n, "link set up dev eth0")
	n.ip(t, n, "link set up dev lo")
	return n
}

func address(i uint32) string {
	return fmt.Sprintf("198.%d.%d.%d", 18+i>>16, i>>8&0xff, i&0xff)
}

// Cut takes the link's far end down. This end keeps its address, so that no packet takes another
// route.
func (n *Net) Cut(t testing.TB) {
	t.Helper()
	n.ip(t, n, "link set down dev eth0")
}

// ip runs the ip command in a network.
func (n *Net) ip(t testing.TB, where *Net, args string) {
	t.Helper()
	cmd := exec.Command("ip", strings.Fields(args)...)
	out, err := where.output(cmd)
	if err != nil {
		t.Fatalf("ip %s: %v: %s", args, err, out)
	}
}

// output runs a command in the network.
func (n *Net) output(cmd *exec.Cmd) (out []byte, err error) {
	var thread sync.WaitGroup
	thread.Go(func() {
		runtime.LockOSThread() // for good
		if err = n.enter(); err == nil {
			out, err = cmd.CombinedOutput()
		}
	})
	thread.Wait()
	return out, err
}

// enter moves the thread into the network. The caller must have locked the thread.
func (n *Net) enter() error {
	if n == nil {
		return nil
	}
	return unix.Setns(int(n.ns.Fd()), unix.CLONE_NEWNET)
}

func newNamespace() (ns *os.File, err error) {
	var thread sync.WaitGroup
	thread.Go(func() {
		runtime.LockOSThread() // for good: the thread ends here, the file keeps the namespace
		if err = unix.Unshare(unix.CLONE_NEWNET); err == nil {
			ns, err = os.Open("/proc/thread-self/ns/net")
		}
	})
	thread.Wait()
	return ns, err
}
