package stream

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// cachesInArray is STREAM's rule: an array has four times the size of all last-level caches that a
// run uses.
const cachesInArray = 4

// The smallest array that is chosen: with a known cache a pass then takes a millisecond or so; with
// an unknown one, it is larger than the caches of a DPU.
const leastKnown, leastUnknown = 16 << 20, 64 << 20

// AutoBytes is the size of an array for threads on CPUs, by STREAM's rule.
func AutoBytes(cpus []int) int64 { return autoBytes(CacheBytes(cpus)) }

func autoBytes(cache int64) int64 {
	if cache == 0 {
		return leastUnknown
	}
	return max(cachesInArray*cache, leastKnown)
}

// CacheBytes is the size of the last-level caches of CPUs, as the kernel tells it. A cache that
// CPUs share counts once. 0: the kernel tells none.
func CacheBytes(cpus []int) int64 { return cacheBytes(os.DirFS("/sys/devices/system/cpu"), cpus) }

func cacheBytes(sys fs.FS, cpus []int) (sum int64) {
	counted := map[string]bool{}
	for _, c := range cpus {
		var level int
		var last, shared string
		folders, _ := fs.Glob(sys, fmt.Sprintf("cpu%d/cache/index*", c))
		for _, folder := range folders {
			n, err := strconv.Atoi(word(sys, folder+"/level"))
			if err == nil && n > level && word(sys, folder+"/type") != "Instruction" {
				level, last = n, word(sys, folder+"/size")
				shared = word(sys, folder+"/shared_cpu_list")
			}
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(last, "K"), 10, 64)
		if err != nil || shared != "" && counted[shared] {
			continue
		}
		counted[shared] = true
		sum += kib << 10
	}
	return sum
}

// word reads a file of one word; "": there is none.
func word(sys fs.FS, name string) string {
	text, err := fs.ReadFile(sys, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
