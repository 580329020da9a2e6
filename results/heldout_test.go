package results

import (
	"math"
	"math/rand/v2"
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
