package verbs

import (
	"testing"

	"dpukv/internal/packets"
)

// TestPortPackets checks the kernel's two sets of names for a port's counters.
func TestPortPackets(t *testing.T) {
	nic := portPackets(map[string]uint64{
		"port_xmit_packets": 1, "port_xmit_data": 2, "port_rcv_packets": 3, "port_rcv_data": 4,
	})
	if want := (packets.Counts{
		Sources: 1, Shared: true,
		SentPackets: 1, SentBytes: 8, ReceivedPackets: 3, ReceivedBytes: 16,
	}); nic != want {
		t.Errorf("of a NIC %+v, want %+v", nic, want)
	}
	rxe := portPackets(map[string]uint64{"sent_pkts": 5, "rcvd_pkts": 6})
	if want := (packets.Counts{
		Sources: 1, Shared: true, SentPackets: 5, ReceivedPackets: 6,
	}); rxe != want {
		t.Errorf("of rxe %+v, want %+v", rxe, want)
	}
	if none := portPackets(nil); none.Sources != 0 {
		t.Errorf("of a port that counts nothing %+v", none)
	}
}
