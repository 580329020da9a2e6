package results

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// noisyLine has four marks of the same throughput, and repeats with noise of 5 %.
func noisyLine(random *rand.Rand, repeats int) *Line {
	var l Line
	for m := range 4 {
		mark := Mark{AxisValue: strconv.Itoa(m)}
		for r := range repeats {
			p := &Point{}
			p.Repeat, p.ThroughputOps = r+1, math.Exp(0.05*random.NormFloat64())
			mark.Repeats = append(mark.Repeats, p)
		}
		l.Marks = append(l.Marks, mark)
	}
	return &l
}

// TestHeldOutPeak: over lines whose marks are all alike, the peak is too great on average. Of repeats
// held out, it is at most a fifth of that; what is left is that of a median of values that are not
// independent.
func TestHeldOutPeak(t *testing.T) {
	const lines = 4000
	random, chosen, held := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
	for range lines {
		l := noisyLine(random, 6)
		chosen += math.Log(l.Peak().Throughput().Median) / lines
		held += math.Log(l.HeldOutPeak().Throughput().Median) / lines
	}
	t.Logf("peak %+.4f, held out %+.4f", chosen, held)
	if chosen < 0.02 || math.Abs(held) > chosen/5 {
		t.Errorf("the truth is 0: the peak is off by %.4f, want 0.02; held out by %.4f", chosen, held)
	}
}

// TestHeldOutIsThePeak: where all repeats choose the same mark, it is that mark, and a single repeat
// is its own.
func TestHeldOutIsThePeak(t *testing.T) {
	for _, repeats := range []int{1, 6} {
		l := noisyLine(rand.New(rand.NewPCG(1, 2)), repeats)
		for _, p := range l.Marks[2].Repeats {
			p.ThroughputOps *= 2
		}
		peak, held := l.Peak(), l.HeldOutPeak()
		if held.AxisValue != "2" || held.Throughput() != peak.Throughput() {
			t.Errorf("%d repeats: found %+v, want %+v", repeats, held, peak)
		}
	}
}

// heldOutByItself makes the line anew without each repeat.
func heldOutByItself(l *Line) *Mark {
	peak := l.Peak()
	held := Mark{AxisValue: peak.AxisValue}
	for i, p := range peak.Repeats {
		var rest Line
		for _, m := range l.Marks {
			m.Repeats = slices.DeleteFunc(slices.Clone(m.Repeats), func(o *Point) bool {
				return o.Repeat == p.Repeat
			})
			if len(m.Repeats) > 0 {
				rest.Marks = append(rest.Marks, m)
			}
		}
		var out *Point
		for _, m := range l.Marks {
			for _, o := range m.Repeats {
				if best := rest.Peak(); best != nil && m.AxisValue == best.AxisValue &&
					o.Repeat == p.Repeat && out == nil {
					out = o
				}
			}
		}
		earlier := func(o *Point) bool { return o.Repeat == p.Repeat }
		if out == nil || slices.ContainsFunc(peak.Repeats[:i], earlier) {
			return peak
		}
		held.Repeats = append(held.Repeats, out)
	}
	return &held
}

// TestHeldOutPeakByItself: the peak with repeats held out is that of the line made anew without each
// repeat, where marks lack repeats, have some twice, and equal others.
func TestHeldOutPeakByItself(t *testing.T) {
	seed := rand.Uint64()
	random, others := rand.New(rand.NewPCG(seed, 3)), 0
	for range 3000 {
		l := noisyLine(random, 1+random.IntN(7))
		for i := range l.Marks {
			m := &l.Marks[i]
			for _, p := range m.Repeats {
				if random.IntN(2) == 0 {
					p.ThroughputOps = float64(random.IntN(3))
				}
				if random.IntN(30) == 0 {
					p.Repeat = 1
				}
			}
			m.Repeats = m.Repeats[:1+random.IntN(len(m.Repeats))]
		}
		got, want := l.HeldOutPeak(), heldOutByItself(l)
		if got.AxisValue != want.AxisValue || !slices.Equal(got.Repeats, want.Repeats) {
			t.Fatalf("seed %d: found %+v, want %+v", seed, got, want)
		}
		if !slices.Equal(want.Repeats, l.Peak().Repeats) {
			others++
		}
	}
	if others < 300 {
		t.Errorf("seed %d: only %d of 3000 lines hold other repeats than their peak", seed, others)
	}
}
