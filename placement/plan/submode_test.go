package plan

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
)

// TestRDMAOfSubmodes: an RDMA NIC's packets pass a DPU on the path in its eSwitch, which forwards
// in SM4 and SM5.
func TestRDMAOfSubmodes(t *testing.T) {
	const inESwitchOnly = "an RDMA NIC's packets pass an on-path DPU in its eSwitch only"
	for _, test := range []struct {
		submode, device string
		allowed         bool
	}{
		{"sm1", "mlx5_0", false},
		{"sm2", "mlx5_0", false},
		{"sm3", "mlx5_0", false},
		{"sm4", "mlx5_0", true},
		{"sm5", "mlx5_0", true},
		{"sm1", "softroce", true},
		{"sm5", "softroce", true},
	} {
		bed := parseTestbed(t, fmt.Sprintf(`nodes:
  near: {address: 192.0.2.1, rdma: {device: %[1]s}}
  far: {via: ssh, host: far.invalid, address: 192.0.2.2, rdma: {device: %[1]s}}
  card: {kind: dpu, of: far, via: ssh, host: card.invalid, address: 192.0.2.3}
client_side: [near]
server_side: [far, card]
`, test.device))
		err := refusal("store: herd\nplacement: CH-SH\nsubmode: "+test.submode+"\n", &bed)
		if refused := err != nil && strings.Contains(err.Error(), inESwitchOnly); refused == test.allowed {
			t.Errorf("%s over %s: found %v", test.submode, test.device, err)
		}
	}
}

// TestSubmodesThatCannotBeHad: impossible submodes are refused before anything starts.
func TestSubmodesThatCannotBeHad(t *testing.T) {
	const machines = `
nodes:
  hostA: {kind: host, via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: none}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: none}
client_side: [hostA, dpuA]
server_side: [hostB, dpuB]
`
	for file, want := range map[string]string{
		"submode: sm1\nplacement: CH-SD": "found the server on dpuB, allowed: on a host",
		"submode: sm1\nplacement: L-CD-SH": "found a client on dpuB, allowed: on a machine " +
			"that the way to hostB starts from",
		"submode: [sm1, sm3]\nstore: herd\nfilter: count-opcode": "neither an OpenFlow rule nor flower",
		"submode: sm3\nstore: herd\nfilter: count-opcode":        "no memory to count in",
		"submode: sm4\nfilter: count-opcode": "found filter count-opcode with store mica, " +
			"allowed: with herd",
		"submode: sm1\nstore: redis\nfilter: drop-key-hash:1": "found filter drop-key-hash:1 with store redis, " +
			"allowed: with herd",
		"submode: off-path\nfilter: drop-client:192.0.2.1": "there is no DPU on the path",
		"submode: sm1\nfilter: count-opcode:get": "filter: found \"count-opcode:get\", allowed: none, " +
			"drop-client:ADDRESS",
		"submode: direct\nplacement: CD-SH": "found a client on dpuA",
	} {
		bed := parseTestbed(t, machines)
		must.Fail(t, refusal(file+"\n", &bed), want)
	}
}
