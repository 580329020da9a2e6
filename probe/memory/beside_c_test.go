package memory

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

// yardstick is the chase in C, over a block of base pages, with the median of its slices.
const yardstick = `
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/mman.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
static int order(const void *a, const void *b) { double d = *(double *)a - *(double *)b; return d < 0 ? -1 : d > 0; }
int main(void) {
	size_t bytes = %d, lines = bytes / 64;
	char *block = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(block, bytes, MADV_NOHUGEPAGE);
	madvise(block, bytes, MADV_POPULATE_WRITE); /* as package offheap does: the kernel then gives neighbouring pages */
	unsigned *next = malloc(lines * sizeof *next);
	for (size_t i = 0; i < lines; i++) next[i] = i;
	for (size_t i = lines - 1; i > 0; i--) { size_t j = random() %% i; unsigned t = next[i]; next[i] = next[j]; next[j] = t; }
	for (size_t i = 0; i < lines; i++) *(void **)(block + 64 * i) = block + 64 * (size_t)next[i];
	void **p = (void **)block;
	double slices[100];
	long steps = %d;
	for (long i = 0; i < 3 * (long)lines; i++) p = *p;
	for (int s = 0; s < 100; s++) {
		double from = now();
		for (long i = 0; i < steps; i++) p = *p;
		slices[s] = (now() - from) / steps;
	}
	qsort(slices, 100, sizeof *slices, order);
	printf("%%g %%p\n", slices[50], (void *)p);
	return 0;
}
`

// TestBesideC chases in turns with gcc's loop. It prints the ratios of the medians, and asserts none.
func TestBesideC(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	k := task()
	one := k.CPUs[len(k.CPUs)-1]
	k.CPUs, k.Duration = []int{one}, 100*time.Millisecond
	for block, steps := range map[int]int{16 << 10: 200_000, 1 << 20: 100_000, 64 << 20: 10_000} {
		dir := t.TempDir()
		source, binary := filepath.Join(dir, "chase.c"), filepath.Join(dir, "chase")
		must.Do(t, os.WriteFile(source, fmt.Appendf(nil, yardstick, block, steps), 0o600))
		if out, err := exec.Command("gcc", "-O2", "-o", binary, source).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v: %s", err, out)
		}
		var ours, theirs []float64
		for range 5 {
			out := must.Get(exec.Command("taskset", "-c", fmt.Sprint(one), binary).Output())(t)
			var ns float64
			if _, err := fmt.Sscan(string(out), &ns); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			theirs = append(theirs, ns)
			k.Settings = task(fmt.Sprintf("block_bytes=%d", block), "pages="+basePages()).Settings
			got := must.Get(Kind.Measure(t.Context(), k))(t)
			ours = append(ours, got.Figures["latency_ns"])
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		t.Logf("%d bytes: %.2f ns beside gcc -O2's %.2f ns, ratio %.3f", block, ours[2], theirs[2],
			ours[2]/theirs[2])
	}
	must.Do(t, cpu.PinProcess(task().CPUs))
}
