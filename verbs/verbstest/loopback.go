package verbstest

import (
	"net"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
)

// Loopback drives two devices of one process, or one device as both ends.
func Loopback(t *testing.T, a, b verbs.Device) { loopback(t, a, b, Drive) }

// LoopbackOfPieces does so where a device gives the pieces of a message effect one by one. There
// are no illegal requests.
func LoopbackOfPieces(t *testing.T, a, b verbs.Device) { loopback(t, a, b, driveWhole) }

func loopback(
	t *testing.T, a, b verbs.Device, drive func(*testing.T, verbs.Device, net.Conn),
) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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
	conn := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	drive(t, a, conn)
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error("the peer:", err)
	}
}
