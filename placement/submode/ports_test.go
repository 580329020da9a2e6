package submode

import "testing"

// FuzzCheckFree: what a node prints may be anything; reading it must not panic.
func FuzzCheckFree(f *testing.F) {
	f.Add(`[{"ifname":"p0","flags":["UP"],"mtu":1500}]`)
	f.Fuzz(func(_ *testing.T, out string) { _ = checkFree(out, Ports{"p0", "pf0hpf"}) })
}
