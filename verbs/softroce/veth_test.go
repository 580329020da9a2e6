package softroce

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/programs"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// namespace is a thread in a network namespace of its own.
type namespace struct {
	tid  int
	work chan func()
}

func newNamespace(t *testing.T) *namespace {
	n := &namespace{work: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		n.tid = unix.Gettid()
		err := unix.Unshare(unix.CLONE_NEWNET)
		ready <- err
		for f := range n.work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		close(n.work)
		t.Skipf("network namespaces are not allowed here (%v): the packets on a wire were not looked at", err)
	}
	t.Cleanup(func() { close(n.work) })
	return n
}

// do runs f on the namespace's thread.
func (n *namespace) do(f func()) {
	done := make(chan struct{})
	n.work <- func() { defer close(done); f() }
	<-done
}

// ip runs the ip command within the namespace.
func (n *namespace) ip(t *testing.T, args string) {
	t.Helper()
	programs.Need(t, "ip")
	var out []byte
	var err error
	n.do(func() { out, err = exec.Command("ip", strings.Fields(args)...).CombinedOutput() })
	if err != nil {
		t.Skipf("ip %s: %v: %s; the packets on a wire were not looked at", args, err, out)
	}
}

// reach waits until an address answers with a reset, since nobody listens there. Packets may be
// lost on an interface that has just come up, or in an overlong queue for the neighbour's address.
// UC sends nothing again.
func (n *namespace) reach(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var err error
		n.do(func() { _, err = net.DialTimeout("tcp4", net.JoinHostPort(address, "1"), 2*time.Second) })
		if errors.Is(err, unix.ECONNREFUSED) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer: %v", address, err)
		}
	}
}

// sniff captures what the namespace receives.
func (n *namespace) sniff(t *testing.T) (take func() [][]byte) {
	t.Helper()
	fd := -1
	var err error
	n.do(func() {
		const ipv4 = unix.ETH_P_IP>>8 | unix.ETH_P_IP&0xff<<8 // in network byte order
		fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, ipv4)
	})
	if err != nil {
		t.Skipf("packet socket: %v; the packets on a wire were not looked at", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20); err != nil {
		// root of a user namespace
		t.Skipf("a receive buffer for all packets: %v; the packets on a wire were not looked at", err)
	}
	return func() [][]byte {
		var packets [][]byte
		for {
			b := make([]byte, 1<<16)
			k, from, err := unix.Recvfrom(fd, b, 0)
			if err != nil {
				return packets
			}
			if ll, ok := from.(*unix.SockaddrLinklayer); ok && ll.Pkttype == unix.PACKET_HOST {
				packets = append(packets, b[:k])
			}
		}
	}
}

// TestOnTheWire sends trains through a pair of virtual Ethernet interfaces that cannot carry them
// whole. So the kernel cuts them before the wire, as for a NIC.
func TestOnTheWire(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not root: the packets on a wire were not looked at")
	}
	left, right := newNamespace(t), newNamespace(t)
	left.ip(t, "link add wire0 type veth peer name wire1")
	left.ip(t, "link set wire0 gso_max_segs 1")
	left.ip(t, fmt.Sprintf("link set wire1 netns %d", right.tid))
	left.ip(t, "addr add 10.77.0.1/24 dev wire0")
	left.ip(t, "link set wire0 up")
	right.ip(t, "addr add 10.77.0.2/24 dev wire1")
	right.ip(t, "link set wire1 up")
	left.reach(t, "10.77.0.2")
	var here, there *device
	var err1, err2 error
	patient := 5 * time.Second
	left.do(func() { here, err1 = open(Options{Addr: netip.MustParseAddr("10.77.0.1"), AckTimeout: patient}) })
	right.do(func() { there, err2 = open(Options{Addr: netip.MustParseAddr("10.77.0.2"), AckTimeout: patient}) })
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	defer here.Close()
	defer there.Close()
	if here.opts.MTU != 1024 {
		t.Errorf("path MTU %d on Ethernet", here.opts.MTU)
	}
	take := right.sniff(t)
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD, verbs.RC} {
		a, b := newSide(t, here, typ, testSizes), newSide(t, there, typ, testSizes)
		connect(t, a, b)
		trains(t, a, b)
	}
	packets := take()
	highest := checkTrainIDs(t, packets)
	if n := int(here.counters[txPackets].Load()); len(packets) != n || highest < 31 {
		t.Errorf("%d packets on the wire of %d sent, highest IP ID %d", len(packets), n, highest)
	}
	checkICRCs(t, packets)
	if n := dropped(there); n != 0 {
		t.Errorf("%d packets dropped: %v", n, there.Counters())
	}
	t.Logf("%v", there.Counters())
	dissect(t, packets)
}

// trains sends some batches of 32 and checks that all arrive.
func trains(t *testing.T, a, b *side) {
	t.Helper()
	fill(a.mr.Bytes(), 1)
	var wrs []verbs.SendWR
	for i := range 32 {
		b.postRecv(uint64(i), 256*i, 256)
		if a.qp.Type() == verbs.UD {
			wrs = append(wrs, a.send(uint64(i), 256*i, 32))
		} else {
			wrs = append(wrs, a.write(uint64(i), 3000*i, 50))
		}
	}
	a.post(wrs...)
	completions(t, a.sendCQ, 32, a, b)
	if a.qp.Type() == verbs.UD {
		for i := range completions(t, b.recvCQ, 32, a, b) {
			if !bytes.Equal(b.mr.Bytes()[256*i+verbs.GRHBytes:][:32], a.mr.Bytes()[256*i:][:32]) {
				t.Fatalf("datagram %d differs", i)
			}
		}
		return
	}
	// Few enough packets for the queue between the two, which is no longer than 1000: nobody
	// repeats UC's.
	const n = 200 << 10
	a.post(a.write(0, 0, n))
	completions(t, a.sendCQ, 1, a, b)
	until(t, "the last write", func() bool { return bytes.Equal(a.mr.Bytes()[:n], b.mr.Bytes()[:n]) }, a, b)
}

// checkTrainIDs checks that IDs count from 0, and returns the highest one.
func checkTrainIDs(t *testing.T, packets [][]byte) int {
	t.Helper()
	last, highest := -1, 0
	for i, p := range packets {
		id := int(p[4])<<8 | int(p[5])
		if id != last+1 && id != 0 {
			t.Errorf("packet %d: IP ID %d after %d", i, id, last)
		}
		last, highest = id, max(highest, id)
	}
	return highest
}
