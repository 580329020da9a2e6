package submode

import "testing"

// TestRequests checks the form of HERD's requests on the path. Every flow label has a port of its
// own.
func TestRequests(t *testing.T) {
	r := Requests()
	if r.Port != 4791 || r.SourcePort(0) != 0xc001 || r.SourcePort(7) != 0xc008 {
		t.Errorf("found the ports %d, %#x, %#x", r.Port, r.SourcePort(0), r.SourcePort(7))
	}
	ports := map[uint16]bool{}
	const partitions = 1 << 12 // packetfilter takes so many
	for p := range partitions {
		ports[r.SourcePort(p)] = true
	}
	if len(ports) != partitions {
		t.Errorf("found %d ports of %d partitions", len(ports), partitions)
	}
	if r.OpcodeFromEnd != 5 || r.OpcodeMask != 7 || r.OpcodeName(1) != "GET" {
		t.Errorf("found %+v, operation 1 is %s", r, r.OpcodeName(1))
	}
}
