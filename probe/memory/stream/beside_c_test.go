//go:build linux && (amd64 || arm64) && !static && !purego

package stream

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/internal/cpu"
	"dpukv/internal/sample"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
)

// yardstick is STREAM's loops in C, with STREAM's static arrays.
const yardstick = `
#include <sys/types.h>
#define N %d
static double a[N], b[N], c[N];
double *array(int i) { return i == 0 ? a : i == 1 ? b : c; }
void passes(int kernel, int times) {
	double scalar = 3.0;
	for (int t = 0; t < times; t++) {
		ssize_t j;
		switch (kernel) {
		case 0: for (j = 0; j < N; j++) c[j] = a[j]; break;
		case 1: for (j = 0; j < N; j++) b[j] = scalar * c[j]; break;
		case 2: for (j = 0; j < N; j++) c[j] = a[j] + b[j]; break;
		case 3: for (j = 0; j < N; j++) a[j] = b[j] + scalar * c[j]; break;
		}
		__asm__ volatile("" ::: "memory"); /* each pass stores */
	}
}
`

// beside is a library with the yardstick. Both sides use its arrays.
type beside struct {
	passes  uintptr
	a, b, c []float64
}

// compile makes and loads the library.
func compile(t testing.TB, elements int, flags ...string) *beside {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "stream.c"), filepath.Join(dir, "stream.so")
	must.Do(t, os.WriteFile(source, fmt.Appendf(nil, yardstick, elements), 0o600))
	args := append(flags, "-shared", "-fPIC", "-o", binary, source)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v: %s", err, out)
	}
	lib := must.Get(clib.Open(binary))(t)
	symbol := func(name string) uintptr {
		return must.Get(lib.Symbol(name))(t)
	}
	array := func(i uintptr) []float64 {
		address := clib.Call(symbol("array"), i)
		return unsafe.Slice(clib.At[float64](address), elements)
	}
	return &beside{symbol("passes"), array(0), array(1), array(2)}
}

// fill gives the arrays numbers, the same ones for a seed.
func (y *beside) fill(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range y.a {
		y.a[i], y.b[i], y.c[i] = rng.Float64(), rng.Float64(), rng.Float64()
	}
}

// contest is one code beside a compiler's.
type contest struct {
	code  Code
	flags []string
}

// noFMA keeps the compiler from one rounding of triad, so that the bits can be compared.
const noFMA = "-ffp-contract=off"

// The copy of an optimising compiler is a call of memcpy, whose large copies bypass the caches. The
// first contest is between loops.
var contests = []contest{
	{Vector, []string{"-O2", "-ftree-vectorize", "-march=native", noFMA, "-fno-tree-loop-distribute-patterns"}},
	{NonTemporal, []string{"-O2", "-ftree-vectorize", "-march=native", noFMA}},
	{Study, []string{"-O0"}},
}

// TestBitsOfC: every code makes what gcc's code makes, in every bit.
func TestBitsOfC(t *testing.T) {
	kernel.NeedNative(t)
	for _, c := range contests {
		y := compile(t, 10_007, c.flags...)
		l := must.Get(loopsOf(c.code))(t)
		for i, k := range Kernels() {
			y.fill(uint64(i))
			clib.Call3(y.passes, uintptr(i), 1, 0)
			a, b, c := slices.Clone(y.a), slices.Clone(y.b), slices.Clone(y.c)
			y.fill(uint64(i))
			l.run(Kernel(k), y.a, y.b, y.c)
			if !same(y.a, a) || !same(y.b, b) || !same(y.c, c) {
				t.Errorf("%s of %s differs from gcc's", k, l.name)
			}
		}
	}
}

// TestBesideC runs each kernel in turns with gcc's, on one CPU and on the same arrays. It prints the
// medians, and asserts none: other programs may use the memory meanwhile.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	pinTest(t)
	for _, size := range []struct {
		bytes, times, rounds int
	}{{64 << 20, 1, 31}, {8 << 10, 1000, 101}} {
		for _, c := range contests {
			y := compile(t, size.bytes/8, c.flags...)
			y.fill(1)
			for i, k := range Kernels() {
				r := y.race(t, c.code, i, size.times, size.rounds)
				t.Logf("arrays of %8d B, %-11s %-5s beside gcc %-3s: %5.1f and %5.1f GB/s, ratio %.3f",
					size.bytes, c.code, k, c.flags[0], r.own/1e9, r.c/1e9, r.ratio)
			}
		}
	}
}

// BenchmarkBesideC has the same as metrics.
func BenchmarkBesideC(b *testing.B) {
	pinTest(b)
	for _, c := range contests {
		y := compile(b, 64<<20/8, c.flags...)
		y.fill(1)
		for i, k := range Kernels() {
			b.Run(string(c.code)+"/"+k, func(b *testing.B) {
				r := y.race(b, c.code, i, 1, b.N)
				b.ReportMetric(r.own/1e9, "GB/s")
				b.ReportMetric(r.c/1e9, "C-GB/s")
				b.ReportMetric(r.ratio, "ratio")
			})
		}
	}
}

// pinTest keeps the process on one CPU during a test.
func pinTest(t testing.TB) {
	t.Helper()
	allowed := must.Get(cpu.Allowed())(t)
	must.Do(t, cpu.PinProcess(allowed[len(allowed)-1:]))
	t.Cleanup(func() {
		if err := cpu.PinProcess(allowed); err != nil {
			t.Error(err)
		}
	})
}

// race are medians: bytes a second of both sides, and of the ratio of a round's pair.
type race struct{ own, c, ratio float64 }

// race makes rounds. The sides take turns in who is first. The clock is the thread's CPU time, which
// leaves out what other programs take of the CPU.
func (y *beside) race(t testing.TB, code Code, kernel, times, rounds int) race {
	t.Helper()
	l := must.Get(loopsOf(code))(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	k := Kernel(Kernels()[kernel])
	sides := []func(){
		func() {
			for range times {
				l.run(k, y.a, y.b, y.c)
			}
		},
		func() { clib.Call3(y.passes, uintptr(kernel), uintptr(times), 0) },
	}
	bytes := float64(len(y.a)*times) * float64(k.elementBytes())
	var rates [2][]float64
	var ratios []float64
	for round := range rounds + 1 {
		var rate [2]float64
		for turn := range sides {
			side := (round + turn) % len(sides)
			from := cpu.ThreadNs()
			sides[side]()
			rate[side] = 1e9 * bytes / float64(max(cpu.ThreadNs()-from, 1))
		}
		if round == 0 { // it touches the arrays
			continue
		}
		for side := range sides {
			rates[side] = append(rates[side], rate[side])
		}
		ratios = append(ratios, rate[0]/rate[1])
	}
	return race{sample.Median(rates[0]), sample.Median(rates[1]), sample.Median(ratios)}
}
