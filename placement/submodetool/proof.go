package submodetool

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"dpukv/placement/submode"
)

// counted says what the names in [submode.Proof.Packets] count, by their first part.
var counted = map[string]string{
	"came": "came in at", "left": "left at", "carried": "carried by the datapath, as counted by",
	"elsewhere": "took another way, as counted by", "dropped": "dropped by the filter",
	"opcode": "operations with the opcode", "rdma": "RDMA packets:", "joined": "joined:",
	"in hardware": "in hardware:",
}

// writeProof writes which way the packets of pings took, by the counters of the datapath.
func writeProof(w io.Writer, p *submode.Proof) error {
	fmt.Fprintf(w, "pings took it: %s carried %.0f %% of the packets that came in\n\n", p.Datapath,
		100*p.CarriedShare)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(columns, "packets\t\n")
	for _, name := range slices.Sorted(maps.Keys(p.Packets)) {
		kind, where, _ := strings.Cut(name, "/")
		words := cmp.Or(counted[kind], kind) + " " + where
		fmt.Fprintf(columns, "%d\t  %s\n", p.Packets[name], strings.TrimSpace(words))
	}
	return columns.Flush()
}
