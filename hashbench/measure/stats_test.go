package measure

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"dpukv/hashbench/report"
)

// Ranks of the sign test, from tables: of n values the interval runs from the (rank+1)-th least to the (rank+1)-th greatest.
func TestLowerRank(t *testing.T) {
	for n, want := range map[int]int{6: 0, 8: 0, 9: 1, 10: 1, 15: 3, 20: 5, 25: 7, 50: 17} {
		if got := lowerRank(n); got != want {
			t.Errorf("of %d values: %d, want %d", n, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	got := median([]float64{9, 1, 2, 3, 4, 5, 6, 7, 8})
	if want := (report.Interval{Median: 5, Low: 2, High: 8}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := median([]float64{4, 2}).Median; got != 3 {
		t.Errorf("of two: %v", got)
	}
}

// Of chains that take 3 ns and 0.5 ns a multiplication, the loop costs 3 ns, and nothing is left over; of a middle chain that
// is 1 ns off the line, that 1 ns is.
func TestLoopCost(t *testing.T) {
	l := loopSeries{{ns: []float64{5, 5.5}}, {ns: []float64{7, 7.5}}, {ns: []float64{11, 11.5}}}
	if got, want := l.cost(), (report.Interval{Median: 3.25, Low: 3, High: 3.5}); got != want {
		t.Errorf("the loop costs %+v, want %+v", got, want)
	}
	if got := l.left(); got != 0 {
		t.Errorf("%v ns are left, want none", got)
	}
	l[1].ns = []float64{8, 8.5}
	if got := l.left(); got != 1 {
		t.Errorf("%v ns are left, want 1", got)
	}
}

// The interval holds the true median as often as it promises, of a distribution that is as skewed as disturbances are.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const trials = 4000
	holds := 0
	for range trials {
		values := make([]float64, 25)
		for i := range values {
			values[i] = rng.ExpFloat64()
		}
		if m := median(values); m.Low <= 0.693147 && 0.693147 <= m.High {
			holds++
		}
	}
	if share := float64(holds) / trials; share < 0.94 {
		t.Errorf("%v of the intervals hold the median", share)
	}
}

func TestInput(t *testing.T) {
	for align := range report.MaxAlign + 1 {
		for _, c := range []report.Case{
			{Mode: report.Latency, MinBytes: 16, MaxBytes: 16, Align: align},
			{Mode: report.Throughput, MinBytes: 1, MaxBytes: 32, Align: align},
			{Mode: report.Throughput, MinBytes: report.MaxBytes, MaxBytes: report.MaxBytes, Align: align},
		} {
			in := newInput(c, 1)
			if got := int(uintptr(unsafe.Pointer(unsafe.SliceData(in.pool))) % slotBytes); got != align {
				t.Errorf("%s: aligned at %d", c, got)
			}
			if len(in.pool) < (slots-1)*slotBytes+c.MaxBytes {
				t.Errorf("%s: the last slot's longest input does not fit", c)
			}
			seen := map[uint32]bool{}
			for _, n := range in.lengths {
				seen[n] = true
				if int(n) < c.MinBytes || int(n) > c.MaxBytes {
					t.Fatalf("%s: length %d", c, n)
				}
			}
			if len(seen) != c.MaxBytes-c.MinBytes+1 {
				t.Errorf("%s: %d different lengths", c, len(seen))
			}
			if c.Random() && len(in.lengths) < 1<<20 {
				t.Errorf("%s: lengths repeat after %d", c, len(in.lengths))
			}
		}
	}
}

// A round goes on where the last one ended, in both loops.
func TestRoundsGoOn(t *testing.T) {
	for _, mode := range []report.Mode{report.Latency, report.Throughput} {
		in := newInput(report.Case{Mode: mode, MinBytes: 1, MaxBytes: 32}, 1)
		var lengths []uint32
		c := function("note", func(key []byte) uint64 {
			lengths = append(lengths, uint32(len(key)))
			return 0
		})
		for range 3 {
			if _, err := c.Round(in, 100); err != nil {
				t.Fatal(err)
			}
		}
		for i, n := range lengths {
			if n != in.lengths[i] {
				t.Fatalf("%s: call %d has length %d, want %d", mode, i, n, in.lengths[i])
			}
		}
	}
}
