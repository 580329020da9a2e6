package testbed

import (
	"strings"
	"testing"
)

func TestDatapathKeys(t *testing.T) {
	const datapath = `{target: linux, wire: eth1, host: eth2, pci: "0000:03:00.1", cpus: "0-1", sm1: bridge, sm2: ovs-dpdk-xdp}`
	const file = `
nodes:
  a: {via: netns}
  b: {via: netns}
  d: {kind: dpu, of: b, via: netns, profile: none, datapath: ` + datapath + `}
client_side: a
server_side: b
`
	bed := parsedBed(t, file)
	again := parsedBed(t, string(bed.Marshal()))
	if differ := bed.Differences(&again); differ != nil {
		t.Error(differ)
	}
	if got := bed.Node("d").Datapath.text(); got != datapath {
		t.Error(got)
	}
	for other, want := range map[string]string{
		"{sm1: tcx}": "found \"tcx\", allowed: ovs-system", "{sm7: tcx}": `unknown key "sm7"`,
		"{target: card}": "allowed: linux, bluefield", "{direct: cable}": `unknown key "direct"`,
	} {
		_, err := Parse("t.yaml", []byte(strings.Replace(file, datapath, other, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", other, err, want)
		}
	}
}
