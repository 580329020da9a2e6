package tcpinfo

import (
	"io"
	"net"
	"os"
	"testing"

	"dpukv/internal/test/kernel"
)

// TestOf: two sockets of this process both count the bytes between them; a listener is left out.
func TestOf(t *testing.T) {
	kernel.NeedTCPInfo(t)
	for network, addr := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"} {
		l, err := net.Listen(network, addr)
		if err != nil {
			t.Logf("%s: %v", network, err)
			continue
		}
		before, err := Of(os.Getpid())
		if err != nil {
			t.Skip(err)
		}
		a, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		b, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		const bytes = 10_000
		if _, err := a.Write(make([]byte, bytes)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(b, make([]byte, bytes)); err != nil {
			t.Fatal(err)
		}
		after, err := Of(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		var sent, received uint64
		for _, s := range after {
			sent, received = sent+s.Bytes_sent-s.Bytes_retrans, received+s.Bytes_received
		}
		if len(after) != len(before)+2 || sent != bytes || received != bytes {
			t.Errorf("%s: %d sockets, then %d, which sent %d and received %d, want two more and %d",
				network, len(before), len(after), sent, received, bytes)
		}
		for _, c := range []io.Closer{a, b, l} {
			c.Close()
		}
	}
	if _, err := Of(1 << 30); err == nil {
		t.Error("of a process that is not there nothing is said")
	}
}
