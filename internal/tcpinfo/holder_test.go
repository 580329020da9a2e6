package tcpinfo

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
)

func TestHolderOfAPort(t *testing.T) {
	kernel.NeedTCPInfo(t)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	want := fmt.Sprintf("process %d (", os.Getpid())
	if got := Holder(port); !strings.HasPrefix(got, want) {
		t.Errorf("port %d: got %q, want %q…", port, got, want)
	}
	must.Do(t, l.Close())
	if got := Holder(port); got != "" {
		t.Errorf("port %d, where nobody listens: got %q", port, got)
	}
}
