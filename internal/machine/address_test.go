package machine

import (
	"net"
	"testing"

	"dpukv/internal/test/must"
)

func TestOwns(t *testing.T) {
	cases := map[string]bool{
		"127.0.0.1:7000": true, "127.8.0.1:7000": true, "[::1]:7000": true, "localhost:7000": true,
		// RFC 5737, 3849, 2606: nobody's
		"192.0.2.1:7000": false, "[2001:db8::1]:7000": false, "example.org:7000": false,
		"127.0.0.1": false, "": false,
	}
	all := must.Get(net.InterfaceAddrs())(t)
	for _, a := range all {
		cases[net.JoinHostPort(a.(*net.IPNet).IP.String(), "7000")] = true
	}
	for addr, want := range cases {
		if got := Owns(addr); got != want {
			t.Errorf("%q: got %v, want %v", addr, got, want)
		}
	}
}
