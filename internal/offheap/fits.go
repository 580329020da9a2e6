package offheap

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
)

// Fits refuses memory that the machine does not have available, or that a control group of this
// process does not allow. Touching such memory would wake the kernel's out-of-memory killer, which
// leaves no message. A caller that allocates in several steps asks for the sum first. Fits does not
// check memory from the reserved pool of huge pages.
func Fits(size int64, pages Pages) error { return fits(os.DirFS("/"), size, pages) }

// Fitting is [Fits], or a test's.
type Fitting func(size int64, pages Pages) error

// Budget returns the memory that a server may lend to its clients: what was asked for. If that is
// 0, it is as much of most as fits, by halves down to least. beside is memory that the server takes
// on top.
func Budget(asked, most, least, beside int64, fits Fitting) (int64, error) {
	if asked > 0 {
		return asked, fits(asked+beside, Small)
	}
	for {
		err := fits(most+beside, Small)
		if err == nil || most/2 < least {
			return most, err
		}
		most /= 2
	}
}

// reserve is the memory that must remain beside an allocation: its page tables, and the needs of
// the rest of the process while it starts.
func reserve(size int64) int64 { return 16<<20 + size/256 }

func fits(root fs.FS, size int64, pages Pages) error {
	info := meminfo(root)
	if pages.reserved() || pages == Auto && pooled(root, int(size)) {
		return nil
	}
	if available, ok := info["MemAvailable"]; ok && size+reserve(size) > available {
		return fmt.Errorf("allocate %s: this machine has %s of memory available (MemAvailable in "+
			"/proc/meminfo), of which %s must stay free; ask for fewer items or a smaller log",
			mib(size), mib(available), mib(reserve(size)))
	}
	return checkGroups(root, "memory", memoryLimits, size+reserve(size), mib(size))
}

// Available returns how much memory this process may still take, and what limits it: the machine,
// or a control group. Memory that the kernel reclaims on demand counts as available.
func Available() (bytes int64, of string) { return available(os.DirFS("/")) }

func available(root fs.FS) (bytes int64, of string) {
	bytes = math.MaxInt64
	if n, ok := meminfo(root)["MemAvailable"]; ok {
		bytes, of = n, "this machine (MemAvailable in /proc/meminfo)"
	}
	for _, dir := range groupDirs(root, "memory") {
		for _, f := range memoryLimits {
			l, ok := f.read(root, dir)
			if !ok {
				continue
			}
			if free := l.max - l.used + reclaimable(root, dir, f); free < bytes {
				bytes, of = free, fmt.Sprintf("the control group of this process (/%s/%s)", dir,
					f.max)
			}
		}
	}
	return bytes, of
}

// fitsHugeTLB is fits for pages of the reserved pool of this size, which has limits of its own.
// Beyond one of them, the kernel grants the mapping, and kills the process when it touches the
// mapping.
func fitsHugeTLB(root fs.FS, size int64, pageBytes int) error {
	asked := mib(size) + " of reserved huge pages"
	if err := checkGroups(root, "hugetlb", hugeTLBLimits(pageBytes), size, asked); err != nil {
		return err
	}
	if strings.Contains(text(root, "proc/self/mountinfo"), "memory_hugetlb_accounting") {
		return checkGroups(root, "memory", memoryLimits, size, asked)
	}
	return nil
}

// checkGroups compares need bytes with these limits of each control group that this process is in.
func checkGroups(
	root fs.FS, controller string, limits []limitFiles, need int64, asked string,
) error {
	for _, dir := range groupDirs(root, controller) {
		for _, f := range limits {
			l, ok := f.read(root, dir)
			if !ok || need <= l.max-l.used {
				continue
			}
			// Cached file pages go when memory is needed. The kernel adds them up on demand.
			if l.used -= reclaimable(root, dir, f); need <= l.max-l.used {
				continue
			}
			return fmt.Errorf("allocate %s: the control group of this process has a limit of %s, "+
				"with %s in use (/%s/%s), and %s would have to be free; ask for fewer items or a "+
				"smaller log, or for more memory (Slurm: --mem; Kubernetes: "+
				"resources.limits.memory)",
				asked, mib(l.max), mib(l.used), dir, f.max, mib(need))
		}
	}
	return nil
}

// mib rounds up: a message never shows a limit as met that is not.
func mib(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20) }
