package tcpinfo

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/kernel"
)

func TestHolderOfAPort(t *testing.T) {
	kernel.NeedTCPInfo(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	want := fmt.Sprintf("process %d (", os.Getpid())
	if got := Holder(port); !strings.HasPrefix(got, want) {
		t.Errorf("port %d: got %q, want %q…", port, got, want)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := Holder(port); got != "" {
		t.Errorf("port %d, where nobody listens: got %q", port, got)
	}
}
