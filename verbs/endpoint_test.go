package verbs

import (
	"net/netip"
	"testing"
)

func TestUnicast(t *testing.T) {
	for addr, want := range map[string]bool{
		"10.0.0.1": true, "127.0.0.1": true, "fe80::1": true,
		"0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "::": false, "ff02::1": false,
	} {
		if got := GIDFromAddr(netip.MustParseAddr(addr)).Unicast(); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
}
