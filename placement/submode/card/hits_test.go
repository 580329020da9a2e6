package card

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/transcript"
)

// TestCPUHits: ports without the counter do not count, and a node without any is an error.
func TestCPUHits(t *testing.T) {
	const some = `[{"ifindex":1,"ifname":"lo","group":"offload","subgroup":"cpu_hit"},` +
		`{"ifindex":4,"ifname":"p0","group":"offload","subgroup":"cpu_hit","stats64":` +
		`{"rx":{"bytes":640,"packets":10,"errors":0},"tx":{"bytes":64,"packets":1}}}]`
	n := here(t, map[string]string{"ip": "cat <<'END'\n" + some + "\nEND\n"})
	got, err := CPUHits(t.Context(), n, "0000:03:00.0")
	if err != nil || !reflect.DeepEqual(got, map[string]uint64{"p0": 10}) {
		t.Errorf("got %v, %v", got, err)
	}
	n = here(t, map[string]string{"ip": `echo '[{"ifindex":1,"ifname":"lo"}]'`})
	if _, err := CPUHits(t.Context(), n, "0000:03:00.0"); err == nil ||
		!strings.Contains(err.Error(), "no port with cpu_hit") {
		t.Errorf("got %v", err)
	}
}

// TestTwoPorts: packets of the card's other port, with an eSwitch of its own, do not count.
func TestTwoPorts(t *testing.T) {
	out := transcript.Read(t, "../testdata/transcripts/undated/ip-stats-two-ports.txt")
	for switched, want := range map[string]map[string]uint64{
		"": {"p0": 10, "p1": 100000}, "p0\npf0hpf\n": {"p0": 10},
	} {
		if got := must.Get(parseHits(out + switchMark + "\n" + switched))(t); !maps.Equal(got, want) {
			t.Errorf("%q: found %v, want %v", switched, got, want)
		}
	}
}
