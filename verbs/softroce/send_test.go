package softroce

import (
	"bytes"
	"fmt"
	"testing"

	"dpukv/verbs"

	"pgregory.net/rapid"
)

// aroundMTU are the sizes at which something changes.
func aroundMTU(mtu int) []int {
	sizes := []int{0, 1, 2, 3, 4, 7, 8, 9, 50}
	for _, k := range []int{1, 2, 3, 7} {
		sizes = append(sizes, k*mtu-1, k*mtu, k*mtu+1)
	}
	return sizes
}

func TestWriteSizes(t *testing.T) {
	checkLeaks(t)
	for _, typ := range []verbs.QPType{verbs.UC, verbs.RC} {
		for _, mtu := range []int{256, 1024, 4096} {
			t.Run(fmt.Sprintf("%s-%d", typ, mtu), func(t *testing.T) {
				a, b := pairOf(t, typ, Options{MTU: mtu}, Options{MTU: mtu},
					sizes{memory: 32 << 10, queue: 16, depth: 16})
				for i, n := range aroundMTU(mtu) {
					for _, at := range []int{0, 5, 8} {
						fill(a.mr.Bytes(), byte(i+at))
						clear(b.mr.Bytes())
						a.post(a.write(uint64(i), at, n))
						wc := completions(t, a.sendCQ, 1, b)[0]
						if wc.ID != uint64(i) || wc.Status != verbs.StatusSuccess || wc.Op != verbs.WCWrite ||
							wc.QPN != a.qp.Num() {
							t.Fatalf("completion %+v", wc)
						}
						drain(t, a, b)
						want := make([]byte, len(b.mr.Bytes()))
						copy(want[at:], a.mr.Bytes()[at:at+n])
						if !bytes.Equal(b.mr.Bytes(), want) {
							t.Fatalf("%d bytes at %d: memory differs; %v", n, at, b.dev.Counters())
						}
					}
				}
			})
		}
	}
}

func TestDatagrams(t *testing.T) {
	checkLeaks(t)
	a, b := pair(t, verbs.UD, Options{MTU: 1024}, Options{MTU: 1024})
	fill(a.mr.Bytes(), 3)
	for i, n := range []int{0, 1, 2, 3, 4, 32, 1023, 1024} {
		b.postRecv(uint64(i), 4096, verbs.GRHBytes+1024)
		wr := a.send(uint64(100+i), 10, n)
		if i%2 == 1 {
			wr.Op, wr.Imm = verbs.OpSendImm, 0xdeadbeef
		}
		a.post(wr)
		wc := completions(t, b.recvCQ, 1, a, b)[0]
		want := verbs.WC{
			ID: uint64(i), Op: verbs.WCRecv, Bytes: uint32(verbs.GRHBytes + n), QPN: b.qp.Num(),
			SrcQPN: a.qp.Num(),
		}
		if i%2 == 1 {
			want.HasImm, want.Imm = true, 0xdeadbeef
		}
		if wc != want {
			t.Fatalf("got %+v, want %+v", wc, want)
		}
		if got := b.mr.Bytes()[4096+verbs.GRHBytes:][:n]; !bytes.Equal(got, a.mr.Bytes()[10:10+n]) {
			t.Fatalf("%d bytes: %x", n, got)
		}
		header := b.mr.Bytes()[4096+20:][:20]
		src := a.dev.opts.Addr.As4()
		if header[0] != 0x45 || !bytes.Equal(header[12:16], src[:]) {
			t.Errorf("IPv4 header % x", header)
		}
	}
}

// TestRandomWrites checks that any list of writes has the same effect on memory as the writes one
// after another.
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
				drain(t, a, b)
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
