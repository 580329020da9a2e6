package run

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/placement/submode"
	"dpukv/placement/sweep"
)

// TestRDMAOfSubmodes: an RDMA NIC's packets pass a DPU on the path in its eSwitch, which forwards
// in SM4 and SM5.
func TestRDMAOfSubmodes(t *testing.T) {
	const refusal = "an RDMA NIC's packets pass an on-path DPU in its eSwitch only"
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
		s, err := sweep.Parse("s.yaml", []byte("store: herd\nplacement: CH-SH\nsubmode: "+test.submode+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := bed.Assign("CH-SH")
		if err != nil {
			t.Fatal(err)
		}
		err = checkRDMA(&s, &c, test.submode)
		if test.allowed && err != nil || !test.allowed && (err == nil || !strings.Contains(err.Error(), refusal)) {
			t.Errorf("%s over %s: found %v", test.submode, test.device, err)
		}
	}
}

// TestInferredRDMA: a point of SM5 over a NIC says what nobody has shown.
func TestInferredRDMA(t *testing.T) {
	if w := rdmaWarnings(submode.SM5, true, "ibverbs:mlx5_0"); len(w) != 1 || !strings.Contains(w[0], "inferred") {
		t.Errorf("found %q, want that it is inferred", w)
	}
	for _, w := range [][]string{
		rdmaWarnings(submode.SM4, true, "ibverbs:mlx5_0"), rdmaWarnings(submode.SM5, false, "ibverbs:mlx5_0"),
		rdmaWarnings(submode.SM5, true, "softroce:192.0.2.1"),
	} {
		if w != nil {
			t.Errorf("found %q, want none", w)
		}
	}
}
