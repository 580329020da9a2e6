package submode

import (
	"context"
	"fmt"
	"testing"
)

// TestEvidenceWhileNothingComes: if packets come during a read, the counters are read again, for a
// while.
func TestEvidenceWhileNothingComes(t *testing.T) {
	for busy, want := range map[int]uint64{0: 1, 1: 2, 1000: maxReads} {
		came, reads := 0, 0
		node := Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
			if argv[0] == "ip" {
				reads++
				stats := fmt.Sprintf(`"stats64":{"rx":{"packets":%d}}`, came)
				return `[{"ifname":"p0",` + stats + `},{"ifname":"pf0hpf",` + stats + `}]`, nil
			}
			came = min(came+1, busy) // a packet between the interfaces' counters and the datapath's
			return `{"p0":{"passed":1},"pf0hpf":{"passed":1}}`, nil
		}}
		s := mustNew(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx"})
		l := &Lease{setup: s.setup(s.datapath, "/x"), node: node}
		e, err := l.Evidence(t.Context())
		if err != nil || e.Came["p0"] != want-1 || reads > 2*maxReads {
			t.Errorf("%d packets in between: found %+v after %d reads, %v", busy, e, reads, err)
		}
	}
}
