package submodetool

import (
	"strings"
	"testing"

	"dpukv/placement/submode"
)

func TestProofIsATable(t *testing.T) {
	var b strings.Builder
	err := writeProof(&b, &submode.Proof{Datapath: "tcx", CarriedShare: 1, Packets: map[string]uint64{
		"came/wire": 200, "left/host": 199, "carried/tcx": 200, "dropped": 1,
	}})
	const want = `pings took it: tcx carried 100 % of the packets that came in

  packets
      200  came in at wire
      200  carried by the datapath, as counted by tcx
        1  dropped by the filter
      199  left at host
`
	if err != nil || b.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, b.String(), want)
	}
}
