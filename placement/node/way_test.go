package node

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"

	"dpukv/kvs"
)

// TestFault names each way in which a firewall blocks a connection.
func TestFault(t *testing.T) {
	for want, err := range map[string]error{
		"":                     nil,
		"no answer (i/o time":  os.ErrDeadlineExceeded,
		"no answer (connectio": syscall.ETIMEDOUT,
		"a refusal (connect: ": os.NewSyscallError("connect", syscall.ECONNREFUSED),
		"no way there (connec": os.NewSyscallError("connect", syscall.EHOSTUNREACH),
		"a prohibition by the": os.NewSyscallError("connect", syscall.EPERM),
		"another":              errors.New("another"),
	} {
		wrapped := err
		if err != nil {
			wrapped = fmt.Errorf("open: %w", &net.OpError{Op: "dial", Net: "tcp", Err: err})
		}
		if got := Fault(wrapped); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: found %q, want %q", err, got, want)
		}
	}
}

// TestExplainNamesBothEnds: only a connection that was not accepted is explained.
func TestExplainNamesBothEnds(t *testing.T) {
	dial := fmt.Errorf("open: %w", &net.OpError{
		Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded,
		Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 7001},
	})
	read := &net.OpError{Op: "read", Net: "tcp", Addr: &net.TCPAddr{}, Err: syscall.ECONNRESET}
	any := &Way{Client: "hostA", ClientAddr: "10.0.0.1", Server: "hostB"}
	some := &Way{Client: "hostA", ClientAddr: "10.0.0.1", Server: "hostB", Ports: "8000-8010"}
	for _, test := range []struct {
		way  *Way
		err  error
		want []string
	}{
		{nil, dial, []string{"open: dial tcp 10.0.0.2:7001: i/o timeout"}},
		{some, read, []string{read.Error()}},
		{any, dial, []string{
			"from node hostA (10.0.0.1) to node hostB at 10.0.0.2:7001: found no answer (i/o timeout)",
			"firewall on node hostB", "write ports: 7000-7100 into the testbed file", "--add-port=7000-7100/tcp",
		}},
		{some, dial, []string{"open the ports there", "tcp dport 8000-8010 accept"}},
	} {
		err := test.way.explain(test.err)
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("found %q, want %q in it", err, want)
			}
		}
		if !errors.Is(err, test.err) {
			t.Errorf("%v does not hold %v", err, test.err)
		}
	}
	if some.explain(nil) != nil {
		t.Error("found an error of none")
	}
}

// TestExplainNamesTheProxy: a client with a proxy connects to two nodes, of which it names the one that
// did not accept.
func TestExplainNamesTheProxy(t *testing.T) {
	spec := &ClientSpec{
		DialConfig: kvs.DialConfig{Addr: "10.0.0.2:7001", Proxy: "10.0.0.3:7002"},
		Way:        &Way{Client: "hostA", Server: "hostB"}, ProxyWay: &Way{Client: "hostA", Server: "dpuA"},
	}
	for addr, want := range map[string]string{spec.Addr: "to node hostB at", spec.Proxy: "to node dpuA at"} {
		to := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))
		err := spec.explain(&net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: syscall.ECONNREFUSED})
		if !strings.Contains(err.Error(), want) {
			t.Errorf("found %q, want %q in it", err, want)
		}
	}
}
