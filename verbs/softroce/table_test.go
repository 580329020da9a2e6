package softroce

import "dpukv/verbs/softroce/wire"

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"pgregory.net/rapid"
)

// TestTable checks that, whatever comes and goes, each number finds its object, and a freed one
// finds nothing.
func TestTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const most = 100
		all := newTable[int]("object", rapid.SampledFrom([]int{9, 24, 32}).Draw(rt, "bits"), most)
		want := map[uint32]*int{}
		var numbers []uint32
		for _, add := range rapid.SliceOfN(rapid.Bool(), 0, 300).Draw(rt, "adds") {
			if add {
				object := new(int)
				number, err := all.add(object)
				if (err != nil) != (len(want) == most) || want[number] != nil {
					rt.Fatalf("number %#x with %d objects: %v", number, len(want), err)
				}
				if err == nil {
					want[number] = object
					numbers = append(numbers, number)
				}
			} else if len(numbers) > 0 {
				i := rapid.IntRange(0, len(numbers)-1).Draw(rt, "which")
				number := numbers[i]
				if !all.remove(number, want[number]) || all.remove(number, want[number]) {
					rt.Fatalf("%#x was not removed, or twice", number)
				}
				delete(want, number)
				numbers = append(numbers[:i], numbers[i+1:]...)
				if all.find(number) != nil {
					rt.Fatalf("%#x still finds something", number)
				}
			}
		}
		for number, object := range want {
			if all.find(number) != object {
				rt.Fatalf("%#x finds another object", number)
			}
		}
		for _, number := range []uint32{0, 1, 1<<all.bits - 1} {
			if all.find(number) != nil {
				rt.Fatalf("%#x is reserved", number)
			}
		}
	})
}

// TestNumbersCannotBeGuessed checks that every bit of keys, QP numbers and first PSNs is random.
func TestNumbersCannotBeGuessed(t *testing.T) {
	d := openTest(t, Options{})
	const n = 256
	drawn := map[string][]uint32{}
	for range n {
		pd := must.Get(d.AllocPD())(t)
		m := must.Get(pd.AllocMR(64, verbs.RemoteWrite))(t)
		defer m.Close()
		c := must.Get(d.CreateCQ(1))(t)
		q := must.Get(pd.CreateQP(verbs.QPConfig{Type: verbs.UC, SendCQ: c, RecvCQ: c, MaxSend: 1}))(t)
		drawn["key"] = append(drawn["key"], m.RKey())
		drawn["QPN"] = append(drawn["QPN"], q.Num())
		drawn["PSN"] = append(drawn["PSN"], q.Local().PSN)
	}
	for what, bits := range map[string]int{"key": keyBits, "QPN": wire.QPNBits, "PSN": wire.PSNBits} {
		for bit := range bits {
			set := 0
			for _, v := range drawn[what] {
				set += int(v >> bit & 1)
			}
			if set < n/4 || set > 3*n/4 { // eight standard deviations from the mean
				t.Errorf("bit %d of %d %ss is set in %d", bit, n, what, set)
			}
		}
	}
}

// TestForeignRegion checks that a QP of one domain neither writes nor reads a region of another,
// even if it knows the key.
func TestForeignRegion(t *testing.T) {
	for _, op := range []verbs.SendOp{verbs.OpWrite, verbs.OpRead} {
		x := newProtected(t, verbs.RC)
		fill(x.a.mr.Bytes(), 1)
		wr := x.a.write(0, 0, 64)
		wr.Op, wr.Remote, wr.RKey = op, x.foreign.Addr(), x.foreign.RKey()
		x.a.post(wr)
		status(t, x.a.sendCQ, 0, verbs.StatusRemoteAccess, x.a, x.b)
		x.expect(t, "bad_rkey")
	}
}
