package ibverbs

import (
	"net/netip"
	"strings"
	"testing"

	"dpukv/verbs"
)

func entry(index int, kind gidType, addr string) gidEntry {
	return gidEntry{index, kind, verbs.GIDFromAddr(netip.MustParseAddr(addr))}
}

func TestChooseGID(t *testing.T) {
	nic := []gidEntry{
		entry(0, gidRoCEv1, "fe80::1"), entry(1, gidRoCEv2, "fe80::1"),
		entry(2, gidRoCEv1, "10.0.0.1"), entry(3, gidRoCEv2, "10.0.0.1"),
	}
	v6 := []gidEntry{entry(1, gidRoCEv2, "fe80::1"), entry(5, gidRoCEv2, "fd00::1")}
	for _, test := range []struct {
		name  string
		table []gidEntry
		link  verbs.LinkLayer
		index int
		want  int // -1: refused
		of    string
	}{
		{"of the node's address", nic, verbs.LinkEthernet, AutoGID, 3, "10.0.0.1"},
		{"of another NIC", nic, verbs.LinkEthernet, AutoGID, -1, "10.10.10.1"},
		{"of another NIC, but asked for", nic, verbs.LinkEthernet, 3, 3, "10.10.10.1"},
		{
			"InfiniBand has no such",
			[]gidEntry{entry(0, gidIB, "fe80::2")},
			verbs.LinkInfiniBand, AutoGID,
			0, "10.0.0.1",
		},
		{"IPv4 first", nic, verbs.LinkEthernet, AutoGID, 3, ""},
		{"routable before link-local", v6, verbs.LinkEthernet, AutoGID, 5, ""},
		{"link-local at last", v6[:1], verbs.LinkEthernet, AutoGID, 1, ""},
		{"version 1 is none", nic[:1], verbs.LinkEthernet, AutoGID, -1, ""},
		{"empty", nil, verbs.LinkEthernet, AutoGID, -1, ""},
		{"InfiniBand's first", []gidEntry{entry(0, gidIB, "fe80::2")}, verbs.LinkInfiniBand, AutoGID, 0, ""},
		{"as asked", nic, verbs.LinkEthernet, 1, 1, ""},
		{"version 1 asked for", nic, verbs.LinkEthernet, 2, -1, ""},
		{"no such row", nic, verbs.LinkEthernet, 4, -1, ""},
	} {
		of, _ := netip.ParseAddr(test.of)
		got, err := chooseGID(test.table, test.link, test.index, of)
		if test.want < 0 {
			if err == nil {
				t.Errorf("%s: got index %d, want an error", test.name, got.index)
			}
		} else if err != nil || got.index != test.want {
			t.Errorf("%s: got index %d, %v, want %d", test.name, got.index, err, test.want)
		}
	}
}

func TestChooseGIDNamesWhatThereIs(t *testing.T) {
	_, err := chooseGID([]gidEntry{entry(3, gidRoCEv2, "10.0.0.1")}, verbs.LinkEthernet, 9, netip.Addr{})
	if err == nil || !strings.Contains(err.Error(), "9") || !strings.Contains(err.Error(), "3 (10.0.0.1, RoCE v2)") {
		t.Errorf("got %v", err)
	}
}
