package peer

import (
	"net"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

func open(t *testing.T) (dev verbs.Device, addr string) {
	name, addr := os.Getenv("DEVICE"), os.Getenv("ADDR")
	if name == "" || addr == "" {
		t.Skip("DEVICE and ADDR are not set: see the package's comment")
	}
	dev = must.Get(provider.Open(name, provider.Defaults))(t)
	t.Cleanup(func() {
		t.Log(dev.Counters())
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, addr
}

// TestServe is one peer.
func TestServe(t *testing.T) {
	dev, addr := open(t)
	conn := accept(t, addr)
	defer conn.Close()
	if err := verbstest.Serve(dev, conn); err != nil {
		t.Error(err)
	}
}

// TestDrive is the other peer.
func TestDrive(t *testing.T) {
	dev, addr := open(t)
	conn := must.Get(dial(addr))(t)
	defer conn.Close()
	verbstest.Drive(t, dev, conn)
}

// meeting limits how long an end waits for the other: a busy machine takes long to boot the guest.
const meeting = 5 * time.Minute

// accept waits until the peer connects.
func accept(t *testing.T, addr string) net.Conn {
	t.Helper()
	l := must.Get(net.Listen("tcp", addr))(t)
	defer l.Close()
	must.Do(t, l.(*net.TCPListener).SetDeadline(time.Now().Add(meeting)))
	return must.Get(l.Accept())(t)
}

// dial waits until the peer listens.
func dial(addr string) (net.Conn, error) {
	for deadline := time.Now().Add(meeting); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil || time.Now().After(deadline) {
			return conn, err
		}
	}
}
