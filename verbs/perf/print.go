package perf

import (
	"fmt"
	"io"
	"strings"

	"dpukv/verbs"
)

const (
	latencyColumns = " #bytes  #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    " +
		"t_avg[usec]  t_stdev[usec]  99% percentile[usec]  99.9% percentile[usec]\n"
	bandwidthColumns = " #bytes  #iterations    BW peak[MB/sec]    BW average[MB/sec]    " +
		"MsgRate[Mpps]\n"
)

// WriteHeader prints the header of perftest's output. It adds what perftest lacks: the provider,
// and whether the device is emulated.
func WriteHeader(w io.Writer, h *Header) error {
	rule := strings.Repeat("-", 87)
	columns := latencyColumns
	title := "Latency"
	if h.Kind == Bandwidth {
		columns, title = bandwidthColumns, "BW"
	}
	name := map[Op]string{Write: "RDMA_Write", Read: "RDMA_Read", Send: "Send"}[h.Op]
	_, err := fmt.Fprintf(w, `%s
                    %s %s Test
 Device          : %-24s Provider        : %s
 Connection type : %-24s Number of qps   : %d
 TX depth        : %-24d RX depth        : %d
 Post list       : %-24d CQ Moderation   : %d
 Mtu             : %-24s Link type       : %s
 GID index       : %-24d Max inline data : %d[B]
%s
 local  address: %s
 remote address: %s
%s
%s`,
		rule, name, title, h.Local.Device.Name, providerOf(h.Local), h.Connection, h.QPs, h.TxDepth,
		h.RxDepth, h.PostList, h.CQMod,
		fmt.Sprint(h.Local.MTU, "[B]"), h.Local.LinkLayer, h.Local.GIDIndex, h.Inline, rule,
		address(h.Local), address(h.Peer), rule, columns)
	return err
}

// providerOf names the provider and marks an emulated device: its figures are not those of a NIC.
func providerOf(e verbs.Endpoint) string {
	if e.Device.Emulated {
		return e.Device.Provider + " (emulated)"
	}
	return e.Device.Provider
}

func address(e verbs.Endpoint) string {
	return fmt.Sprintf("LID %#04x QPN %#06x PSN %#06x\n GID: %s, index %d of %s, %s", e.LID, e.QPN,
		e.PSN, e.GID, e.GIDIndex,
		verbs.Printable(e.Device.Name), verbs.Printable(providerOf(e)))
}

// WritePoint prints one line, and its warnings below it.
func WritePoint(w io.Writer, p *Point) (err error) {
	switch {
	case p.Latency != nil:
		l := p.Latency
		_, err = fmt.Fprintf(w,
			" %-7d  %-11d    %-11.2f    %-11.2f  %-15.2f    %-11.2f  %-13.2f  %-20.2f  %-.2f\n",
			p.Bytes, p.Iters, l.Min, l.Max, l.Typical, l.Avg, l.Stdev, l.P99, l.P999)
	case p.Bandwidth != nil:
		b := p.Bandwidth
		_, err = fmt.Fprintf(w, " %-7d  %-11d    %-15.2f    %-18.2f    %-.6f\n", p.Bytes, p.Iters,
			b.PeakMBs, b.AverageMBs, b.MsgMpps)
	}
	for _, text := range p.Warnings {
		if err == nil {
			_, err = fmt.Fprintf(w, " warning: %s\n", text)
		}
	}
	return err
}
