package verbstest

import (
	"net"
	"testing"

	"dpukv/verbs"
)

// Loopback drives two devices of one process, or one device as both ends.
func Loopback(t *testing.T, a, b verbs.Device) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			served <- err
			return
		}
		defer conn.Close()
		served <- Serve(b, conn)
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	Drive(t, a, conn)
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error("the peer:", err)
	}
}
