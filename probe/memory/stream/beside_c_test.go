package stream

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/offheap"
)

// yardstick is STREAM's loops in C, as far as they matter: static arrays, one pass timed by the
// monotonic clock, the best of the passes printed for each kernel.
const yardstick = `
#include <stdio.h>
#include <time.h>
#define N %d
static double a[N], b[N], c[N];
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(void) {
	double best[4] = {1e9, 1e9, 1e9, 1e9}, k = 3.0;
	long j;
	for (j = 0; j < N; j++) { a[j] = 1.0; b[j] = 2.0; c[j] = 0.0; }
	for (int pass = 0; pass < 10; pass++) {
		double t[5];
		t[0] = now();
		for (j = 0; j < N; j++) c[j] = a[j];
		t[1] = now();
		for (j = 0; j < N; j++) b[j] = k * c[j];
		t[2] = now();
		for (j = 0; j < N; j++) c[j] = a[j] + b[j];
		t[3] = now();
		for (j = 0; j < N; j++) a[j] = b[j] + k * c[j];
		t[4] = now();
		for (int i = 0; i < 4; i++) if (t[i + 1] - t[i] < best[i]) best[i] = t[i + 1] - t[i];
	}
	printf("%%g %%g %%g %%g %%g\n", 16.0 * N / best[0], 16.0 * N / best[1], 24.0 * N / best[2], 24.0 * N / best[3], a[N / 2]);
	return 0;
}
`

const besideBytes = 64 << 20 // of an array

// compile builds the yardstick.
func compile(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "stream.c"), filepath.Join(dir, "stream")
	if err := os.WriteFile(source, fmt.Appendf(nil, yardstick, besideBytes/8), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", append(flags, "-o", binary, source)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v: %s", err, out)
	}
	return binary
}

// TestBesideC runs the kernels in turns with gcc's. It prints the ratios of the medians, and asserts
// none: other programs may use the memory meanwhile.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the memory's bandwidth for seconds")
	}
	allowed, err := cpu.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	one := allowed[len(allowed)-1]
	for code, flags := range map[Code][]string{
		Vector: {"-O2", "-ftree-vectorize", "-march=native", "-fno-tree-loop-distribute-patterns"},
		Study:  {"-O0"},
	} {
		binary := compile(t, flags...)
		ours, theirs := map[string][]float64{}, map[string][]float64{}
		for range 5 {
			out, err := exec.Command("taskset", "-c", fmt.Sprint(one), binary).Output()
			if err != nil {
				t.Fatal(err)
			}
			var c [5]float64
			if _, err := fmt.Sscan(string(out), &c[0], &c[1], &c[2], &c[3], &c[4]); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for i, k := range Kernels() {
				theirs[k] = append(theirs[k], c[i])
				res, err := Measure(t.Context(), Config{
					Kernel: Kernel(k), Code: code, ArrayBytes: besideBytes, CPUs: []int{one},
					Pages: offheap.Auto, Duration: 100 * time.Millisecond,
				})
				if err != nil || res.Passes < minPasses || res.Best < res.Median {
					t.Fatalf("%v: %+v", err, res)
				}
				ours[k] = append(ours[k], res.Best)
			}
		}
		for _, k := range Kernels() {
			own, c := median(ours[k]), median(theirs[k])
			t.Logf("%s, %s beside gcc %s: %.1f and %.1f GB/s, ratio %.3f", k, loopsOf(code).name,
				strings.Join(flags, " "), own/1e9, c/1e9, own/c)
		}
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
