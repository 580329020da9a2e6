package softroce

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// someErrnos are errors of sendmmsg and recvmmsg that concern one destination or one moment.
var someErrnos = map[unix.Errno]string{
	unix.EMSGSIZE: "tx_too_long", unix.ENETUNREACH: "tx_unreachable", unix.EHOSTUNREACH: "tx_unreachable",
	unix.ENETDOWN: "tx_unreachable", unix.ECONNREFUSED: "tx_unreachable", unix.EACCES: "tx_forbidden",
	unix.EPERM: "tx_forbidden", unix.ENOBUFS: "tx_no_room", unix.EAGAIN: "tx_no_room", unix.ENOMEM: "tx_no_room",
	unix.EINVAL: "tx_failed", unix.EADDRNOTAVAIL: "tx_failed", unix.EIO: "tx_failed", unix.ENODEV: "tx_failed",
}

// TestRefusedDestination checks that packets that the kernel refuses for one peer are lost and
// counted by reason. The others' datagrams go out, before it and after it, and PostSend reports
// nothing.
func TestRefusedDestination(t *testing.T) {
	for errno, name := range someErrnos {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			var bad [4]byte
			a, b := pair(t, verbs.UD, Options{hooks: hooks{sending: func(to *path, _ int) error {
				if to.name.Addr == bad {
					return errno
				}
				return nil
			}}}, Options{})
			other := openTest(t, Options{})
			bad = other.opts.Addr.As4()
			hostile := must.Get(a.pd.CreateAH(verbs.Endpoint{GID: verbs.GIDFromAddr(other.opts.Addr)}))(t)
			var wrs []verbs.SendWR
			for i := range 6 { // four trains: the sizes differ
				b.postRecv(uint64(i), 256*i, 200)
				wrs = append(wrs, a.send(uint64(i), 0, 20+i/2))
			}
			wrs[1].AH, wrs[4].AH = hostile.Handle(), hostile.Handle()
			a.post(wrs...)
			completions(t, a.sendCQ, 6, a)
			for i := range completions(t, b.recvCQ, 4, b) {
				if !bytes.Equal(b.mr.Bytes()[256*i+verbs.GRHBytes:][:20], a.mr.Bytes()[:20]) {
					t.Errorf("datagram %d differs", i)
				}
			}
			c := a.dev.Counters()
			if c["tx_errors"] != 2 || c[name] != 2 {
				t.Errorf("want 2 of %s: %v", name, c)
			}
			if e := a.dev.Events(time.Time{}); len(e) != 1 || !errors.Is(e[0].Err, errno) || !e[0].Serious {
				t.Errorf("events %+v, want one with %s", e, errno)
			}
		})
	}
}

// TestSegmentationRefusedToOnePeer: the others keep it.
func TestSegmentationRefusedToOnePeer(t *testing.T) {
	var bad [4]byte
	a, b := pair(t, verbs.UC, Options{hooks: hooks{sending: func(to *path, count int) error {
		if to.name.Addr == bad && count > 1 {
			return unix.EIO
		}
		return nil
	}}}, Options{})
	x, y := newSide(t, a.dev, verbs.UC, testSizes), newSide(t, openTest(t, Options{}), verbs.UC, testSizes)
	connect(t, x, y)
	bad = y.dev.opts.Addr.As4()
	x.post(x.write(0, 0, 50), x.write(0, 64, 50))
	x.post(x.write(0, 0, 50), x.write(0, 64, 50))
	drain(t, y)
	before := a.dev.Counters()
	a.post(a.write(0, 0, 50), a.write(0, 64, 50))
	drain(t, b)
	c := a.dev.Counters()
	if c["gso_refused"] != 1 || c["tx_errors"] != 0 || c["tx_trains"]-before["tx_trains"] != 1 && a.dev.gso {
		t.Errorf("before: %v\nafter: %v", before, c)
	}
}

// TestFullQueueIsWaitedForOnce checks a queue that stays full. It costs the first list its time
// limit, and the next ones nothing, until it has taken something.
func TestFullQueueIsWaitedForOnce(t *testing.T) {
	tries, full := 0, true
	a, _ := pair(t, verbs.UC, Options{hooks: hooks{sending: func(*path, int) error {
		if tries++; full {
			return unix.EAGAIN
		}
		return nil
	}}}, Options{})
	post := func(ways string, good func(int) bool) {
		t.Helper()
		tries = 0
		a.post(a.write(0, 0, 8), a.write(0, 0, 64)) // two trains
		if !good(tries) {
			t.Errorf("%d tries, want %s", tries, ways)
		}
	}
	many, two := func(n int) bool { return n > 3 }, func(n int) bool { return n == 2 }
	post("many", many)
	post("one a train", two)
	full = false
	post("one a train", two)
	full = true
	post("many", many)
	if c := a.dev.Counters(); c["tx_no_room"] != 6 || c["tx_packets"] != 8 {
		t.Errorf("%v", c)
	}
}

// TestDeviceError checks that PostSend and Progress return an error of the device itself.
func TestDeviceError(t *testing.T) {
	fail := error(nil)
	a, _ := pair(t, verbs.UC, Options{hooks: hooks{
		sending: func(*path, int) error { return fail }, receiving: func() error { return fail },
	}}, Options{})
	fail = unix.EBADF
	if _, err := a.qp.PostSend([]verbs.SendWR{a.write(0, 0, 8)}); !errors.Is(err, fail) {
		t.Errorf("PostSend: %v", err)
	}
	if _, err := a.dev.Progress(); !errors.Is(err, fail) {
		t.Errorf("Progress: %v", err)
	}
}

// TestReceiveGoesOn after errors that tell of packets sent before.
func TestReceiveGoesOn(t *testing.T) {
	for errno := range someErrnos {
		fail := true
		a, b := pair(t, verbs.UC, Options{}, Options{hooks: hooks{receiving: func() error {
			if fail = !fail; !fail {
				return errno
			}
			return nil
		}}})
		fill(a.mr.Bytes()[:64], 1)
		a.post(a.write(0, 0, 64))
		until(t, "the write", func() bool { return bytes.Equal(a.mr.Bytes()[:64], b.mr.Bytes()[:64]) }, b)
		if c := b.dev.Counters(); c["rx_errors"] == 0 && errno != unix.EAGAIN {
			t.Errorf("%s: %v", errno, c)
		}
	}
}

// TestUnreachablePeerEndsItsQP, and no other.
func TestUnreachablePeerEndsItsQP(t *testing.T) {
	// The other QP has to be answered in time, also on a busy machine.
	patient := kernel.Timeout(20 * time.Millisecond)
	var bad [4]byte
	a, b := pair(t, verbs.RC, Options{AckTimeout: patient, RetryCount: 2, hooks: hooks{
		sending: func(to *path, _ int) error {
			if to.name.Addr == bad {
				return unix.EHOSTUNREACH
			}
			return nil
		},
	}}, Options{})
	x, y := newSide(t, a.dev, verbs.RC, testSizes), newSide(t, openTest(t, Options{}), verbs.RC, testSizes)
	connect(t, x, y)
	bad = y.dev.opts.Addr.As4()
	x.post(x.write(7, 0, 8))
	status(t, x.sendCQ, 7, verbs.StatusRetryExceeded, x, y)
	a.post(a.write(8, 0, 8))
	status(t, a.sendCQ, 8, verbs.StatusSuccess, a, b)
}

// TestNoUnicastPeer: Connect and CreateAH take no address that is not one machine's.
func TestNoUnicastPeer(t *testing.T) {
	a, b := pair(t, verbs.UD, Options{}, Options{})
	for _, addr := range []string{
		"255.255.255.255", "224.0.0.1", "239.1.2.3", "0.0.0.0", "127.255.255.255", "::",
		"fe80::1",
	} {
		peer := b.qp.Local()
		peer.GID = verbs.GIDFromAddr(netip.MustParseAddr(addr))
		if _, err := a.pd.CreateAH(peer); err == nil {
			t.Errorf("%s: an address handle", addr)
		} else {
			t.Log(err)
		}
		for _, typ := range []verbs.QPType{verbs.UC, verbs.RC} {
			peer.Type = typ
			if err := newSide(t, a.dev, typ, testSizes).qp.Connect(peer); err == nil {
				t.Errorf("%s: %s connected", addr, typ)
			}
		}
	}
}

// TestSmallerMTUOnTheWay checks that a real kernel refuses packets that exceed the interface's
// reduced MTU. The same list's datagram to another peer arrives.
func TestSmallerMTUOnTheWay(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not root: no interface of which to lower the MTU")
	}
	n := newNamespace(t)
	n.ip(t, "link set lo up")
	n.ip(t, "link add wire0 type veth peer name wire1")
	n.ip(t, "addr add 10.77.0.1/24 dev wire0")
	n.ip(t, "link set wire0 up")
	n.ip(t, "link set wire1 up")
	var here, there *device
	var err1, err2 error
	n.do(func() {
		here, err1 = open(Options{Addr: netip.MustParseAddr("10.77.0.1"), MTU: 1024})
		there, err2 = open(Options{Addr: netip.MustParseAddr("127.0.0.1"), MTU: 1024})
	})
	must.Do(t, errors.Join(err1, err2))
	defer here.Close()
	defer there.Close()
	a, b := newSide(t, here, verbs.UD, testSizes), newSide(t, there, verbs.UD, testSizes)
	peer := b.qp.Local()
	var far verbs.AH
	n.do(func() {
		connect(t, a, b)
		peer.GID = verbs.GIDFromAddr(netip.MustParseAddr("10.77.0.2"))
		far = must.Get(a.pd.CreateAH(peer))(t)
	})
	n.ip(t, "link set wire0 mtu 600")
	b.postRecv(1, 0, 1200)
	toFar := a.send(0, 0, 900)
	toFar.AH = far.Handle()
	a.post(toFar, toFar, a.send(1, 0, 901)) // a train, and one behind it
	status(t, b.recvCQ, 1, verbs.StatusSuccess, b)
	if c := here.Counters(); c["tx_too_long"] != 2 || c["tx_errors"] != 2 {
		t.Error(fmt.Sprint(c))
	}
	for _, e := range here.Events(time.Time{}) {
		t.Log(e.Kind, e.Err)
	}
}
