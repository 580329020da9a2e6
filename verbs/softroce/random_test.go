package softroce

import (
	"bytes"
	"testing"

	"dpukv/verbs"

	"pgregory.net/rapid"
)

// TestRandomWrites: any list of writes leaves the memory that doing them one after another would.
func TestRandomWrites(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.UC, verbs.RC} {
		for _, hooks := range []hooks{{}, {noGSO: true}, {noGRO: true}} {
			const mtu, memory = 256, 16 << 10
			z := sizes{memory: memory, queue: 64, depth: 256}
			a, b := pairOf(t, typ, Options{MTU: mtu, hooks: hooks}, Options{MTU: mtu, hooks: hooks}, z)
			rapid.Check(t, func(rt *rapid.T) {
				fill(a.mr.Bytes(), rapid.Byte().Draw(rt, "seed"))
				want := bytes.Clone(b.mr.Bytes())
				var wrs []verbs.SendWR
				for range rapid.IntRange(1, 40).Draw(rt, "writes") {
					n := rapid.OneOf(rapid.IntRange(0, 80), rapid.IntRange(0, 4*mtu)).Draw(rt, "bytes")
					from := rapid.IntRange(0, memory-n).Draw(rt, "from")
					to := rapid.IntRange(0, memory-n).Draw(rt, "to")
					wr := a.write(uint64(len(wrs)), to, n)
					wr.Local = a.sge(from, n)
					if n <= 512 && rapid.Bool().Draw(rt, "inline") {
						wr.Flags |= verbs.Inline
					}
					wrs = append(wrs, wr)
					copy(want[to:to+n], a.mr.Bytes()[from:])
				}
				a.post(wrs...)
				for i, wc := range completions(t, a.sendCQ, len(wrs), a, b) {
					if wc.ID != uint64(i) || wc.Status != verbs.StatusSuccess {
						rt.Fatalf("completion %d: %+v", i, wc)
					}
				}
				settle(t, a, b)
				if !bytes.Equal(b.mr.Bytes(), want) {
					rt.Fatalf("memory differs; %v", b.dev.Counters())
				}
			})
			if dropped(b.dev) != 0 {
				t.Errorf("%s %+v: %v", typ, hooks, b.dev.Counters())
			}
		}
	}
}
