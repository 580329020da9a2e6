package tcpinfo

import (
	"io"
	"net"
	"os"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
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
		a := must.Get(net.Dial(network, l.Addr().String()))(t)
		b := must.Get(l.Accept())(t)
		const bytes = 10_000
		must.Get(a.Write(make([]byte, bytes)))(t)
		must.Get(io.ReadFull(b, make([]byte, bytes)))(t)
		after := must.Get(Of(os.Getpid()))(t)
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
