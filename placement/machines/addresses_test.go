package machines

import (
	"strings"
	"testing"

	"dpukv/internal/test/programs"
	"dpukv/placement/submode"
)

// TestCheckAddresses: an address on a port for logging in is refused, and off-path-sf wants the
// Arm's on a scalable function.
func TestCheckAddresses(t *testing.T) {
	m, c := cards(t, "exit 1\n")
	programs.First(t, map[string]string{"ip": `echo '[{"ifname":"tmfifo_net0","addr_info":[{"local":"192.168.100.2"}]},` +
		`{"ifname":"oob_net0","addr_info":[{"local":"10.0.0.4"}]},` +
		`{"ifname":"p0","addr_info":[{"local":"10.10.10.4"}]}]'` + "\n"})
	c.Server = m.Bed.Nodes[2]
	for _, test := range []struct {
		address string
		submode string
		want    string
	}{
		{"10.10.10.4", submode.SM1, ""},
		{"192.168.100.2", submode.SM1, "node dpuB: found its address 192.168.100.2 on tmfifo_net0"},
		{"10.0.0.4", submode.SM1, "found its address 10.0.0.4 on oob_net0"},
		{"10.10.10.4", submode.OffPathSF, "on a scalable function of the Arm, found it on p0"},
		{"10.10.10.9", submode.OffPathSF, "found no interface with it"},
		{"10.10.10.4", submode.OffPath, "node dpuB: submode off-path wants its address 10.10.10.4 on a function"},
		{"10.10.10.9", submode.OffPath, "of the BlueField, found no interface with it"},
	} {
		c.Server.Address = test.address
		err := m.CheckAddresses(t.Context(), c, test.submode)
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}
