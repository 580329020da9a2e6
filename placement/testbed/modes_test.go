package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode"
)

const bedOfModes = `nodes:
  hostA: {via: ssh, address: 10.10.10.1}
  hostB: {via: ssh, address: 10.10.10.3, rdma: {device: mlx5_0}, modes: {dpu: {rdma: {device: mlx5_1}}}}
  dpuB:
    kind: dpu
    of: hostB
    generation: bf3
    via: ssh
    address: 10.10.10.4
    rdma: {device: mlx5_0}
    modes: {separated: {address: 10.10.10.5}, dpu: {address: 10.10.10.14, rdma: {device: mlx5_2, gid_index: 3}}}
client_side: hostA
server_side: [hostB, dpuB]
`

// TestModes: a node has another address and device in a mode of its host's card. An on-path submode
// puts the server's card into DPU mode.
func TestModes(t *testing.T) {
	bed := parsedBed(t, bedOfModes)
	if again, err := Parse("t.yaml", bed.Marshal()); err != nil || bed.Differences(&again) != nil {
		t.Errorf("written and read again: %v, %v\n%s", err, bed.Differences(&again), bed.Marshal())
	}
	for _, test := range []struct{ placement, submode, address, device string }{
		{"CH-SD", submode.OffPath, "10.10.10.5", "mlx5_0"},
		{"CH-SD", submode.OffPathSF, "10.10.10.14", "mlx5_2"},
		{"CH-SH", submode.OffPathSF, "10.10.10.3", "mlx5_1"},
		{"CH-SH", submode.SM4, "10.10.10.3", "mlx5_1"},
		{"CH-SH", submode.OffPath, "10.10.10.3", "mlx5_0"},
	} {
		c := must.Get(bed.Assign(test.placement))(t)
		in := c.For(test.submode)
		if got := in.Server; got.Address != test.address || got.RDMA.Device != test.device {
			t.Errorf("%+v: got %s, %s", test, got.Address, got.RDMA.Device)
		}
	}
}

func TestModesMistakes(t *testing.T) {
	for mistake, want := range map[string]string{
		"modes: {nic: {address: a}}":          `found the unknown key "nic", allowed: separated, dpu`,
		"modes: {dpu: {adress: a}}":           `found the unknown key "adress" (did you mean address?)`,
		"modes: {dpu: {rdma: {gid_index: }}}": "gid_index",
		"modes: dpu":                          "allowed: keys with values",
	} {
		bed := strings.Replace(bedOfModes, "modes: {dpu: {rdma: {device: mlx5_1}}}", mistake, 1)
		_, err := Parse("t.yaml", []byte(bed))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", mistake, err, want)
		}
	}
	_, err := Parse("t.yaml", []byte("nodes: {a: {via: netns, modes: {dpu: {address: b}}}}\nclient_side: a\n"+
		"server_side: a\n"))
	if err == nil || !strings.Contains(err.Error(), "node a: found modes, allowed: none") {
		t.Errorf("got %v", err)
	}
}
