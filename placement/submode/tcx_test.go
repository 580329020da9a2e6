package submode

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/packetfilter"
)

func init() {
	detach := func(l *Lease) []string { return tcxForwarder{}.command(l.setup, "detach", "p0", "pf0hpf") }
	detours[tcx] = []detour{{"detached", detach, redirecting, []string{notTaken}}}
}

// TestCountOpcodes compares the requests on the path with the client's answered requests. The point
// does not count retransmissions outside of the measurement period. So on a busy machine the path
// may see any number more. No load may miss a request, and one of several loads must have none too
// many.
func TestCountOpcodes(t *testing.T) {
	b := newTestbed(t)
	l := b.apply(t, Config{
		Submode: SM4, Target: Linux, Datapath: "tcx", Filter: packetfilter.Filter{CountOpcodes: true},
	})
	const loads = 8
	for load := 1; b.countsMore(l) && !t.Failed(); load++ {
		if load == loads {
			t.Fatalf("the path saw too many requests in each of %d loads", loads)
		}
	}
}

// countsMore puts a load on the path. It reports whether the path saw more requests than the client
// accounts for. Before the load, each key is set once and asked for once. After it, the client gets
// the answers to the requests that it still holds: those in flight, and a list that waits. Each of
// these is sent again at most once.
func (b *testbed) countsMore(l *Lease) (more bool) {
	b.t.Helper()
	const keys = 5000
	was := b.evidence(l)
	p := b.loadHERD(keys)
	proof := must.Get(Prove(was, b.evidence(l)))(b.t)
	held := uint64(p.Batch * (p.Window + 1) * p.Connections * p.ClientThreads)
	late := 2*held + p.Retries
	for op, want := range map[string]uint64{"GET": keys + p.Gets, "SET": keys + p.Ops - p.Gets} {
		got := proof.Packets["opcode/"+op]
		if got < want {
			b.t.Errorf("%s: the path saw %d requests, the client %d", op, got, want)
		}
		if got > want+late {
			b.t.Logf("%s: the path saw %d requests, the client %d, and at most %d late ones",
				op, got, want, late)
			more = true
		}
	}
	b.t.Logf("%d operations, %d GETs, %d sent again: %v", p.Ops, p.Gets, p.Retries, proof.Packets)
	if n := len(proof.Packets); proof.Packets["opcode/Op(0)"] != 0 || proof.Packets["opcode/ADD"] != 0 {
		b.t.Errorf("%d kinds of packets: %v", n, proof.Packets)
	}
	return more
}

// FuzzParseRedirect: a node may print anything; reading it must not panic.
func FuzzParseRedirect(f *testing.F) {
	f.Add(`{"p0":{"programs":1}}`)
	f.Fuzz(func(_ *testing.T, out string) { _, _ = parseRedirect(out) })
}
