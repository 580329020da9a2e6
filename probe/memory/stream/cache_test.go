package stream

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// TestCacheBytes: a run uses each last-level cache of its CPUs once.
func TestCacheBytes(t *testing.T) {
	sys := fstest.MapFS{}
	add := func(cpu, index, level int, kind, size, shared string) {
		dir := fmt.Sprintf("cpu%d/cache/index%d/", cpu, index)
		for name, text := range map[string]string{
			"level": fmt.Sprint(level), "type": kind, "size": size, "shared_cpu_list": shared,
		} {
			sys[dir+name] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
	}
	for cpu := range 4 { // two CPUs for each L3
		add(cpu, 0, 1, "Data", "32K", fmt.Sprint(cpu))
		add(cpu, 1, 1, "Instruction", "48K", fmt.Sprint(cpu))
		add(cpu, 3, 3, "Unified", "16384K", []string{"0-1", "2-3"}[cpu/2])
	}
	add(4, 0, 1, "Data", "32K", "4") // without L2, and without L3
	add(4, 1, 1, "Instruction", "64K", "4")
	for _, c := range []struct {
		cpus  []int
		cache int64
		array int64
	}{
		{[]int{0}, 16 << 20, 64 << 20},
		{[]int{0, 1}, 16 << 20, 64 << 20},
		{[]int{0, 1, 2, 3}, 32 << 20, 128 << 20},
		{[]int{4}, 32 << 10, leastKnown},
		{[]int{5}, 0, leastUnknown},
	} {
		got := cacheBytes(sys, c.cpus)
		if got != c.cache || autoBytes(got) != c.array {
			t.Errorf("CPUs %v: got %d and %d, want %d and %d", c.cpus, got, autoBytes(got), c.cache,
				c.array)
		}
	}
}
