package submode

import (
	"testing"

	"dpukv/placement/submode/iplink"
)

// FuzzCheckFree: a node may print anything; reading it must not panic.
func FuzzCheckFree(f *testing.F) {
	f.Add(`[{"ifname":"p0","flags":["UP"],"mtu":1500}]`)
	f.Fuzz(func(_ *testing.T, out string) { _ = iplink.Check(Ports{"p0", "pf0hpf"}.checkFree)(out) })
}
