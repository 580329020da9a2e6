package peer

import (
	"net"
	"os"
	"testing"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"
)

func open(t *testing.T) (dev verbs.Device, addr string) {
	name, addr := os.Getenv("DEVICE"), os.Getenv("ADDR")
	if name == "" || addr == "" {
		t.Skip("DEVICE and ADDR are not set: see the package's comment")
	}
	dev, err := provider.Open(name, provider.Defaults)
	if err != nil {
		t.Fatal(err)
	}
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
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := verbstest.Serve(dev, conn); err != nil {
		t.Error(err)
	}
}

// TestDrive is the other peer.
func TestDrive(t *testing.T) {
	dev, addr := open(t)
	conn, err := dial(addr, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	verbstest.Drive(t, dev, conn)
}

// dial waits until the peer listens.
func dial(addr string, timeout time.Duration) (net.Conn, error) {
	for deadline := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil || time.Now().After(deadline) {
			return conn, err
		}
	}
}
