package offheap

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Fits refuses memory that the machine does not have available, or that a control group of this
// process does not allow: touching it would end in the kernel's out-of-memory killer, which
// says nothing to anybody. Who allocates in several steps asks for the sum first. What
// comes from the reserved pool of huge pages is not looked at here.
func Fits(size int64, pages Pages) error { return fits(os.DirFS("/"), size, pages) }

// reserve is what must be left beside an allocation: its page tables, and what the rest
// of the process needs while it starts.
func reserve(size int64) int64 { return 16<<20 + size/256 }

func fits(root fs.FS, size int64, pages Pages) error {
	info := meminfo(root)
	if pages == HugeTLB || pages == Auto && info["HugePages_Free"]*info["Hugepagesize"] >= size {
		return nil
	}
	if available, ok := info["MemAvailable"]; ok && size+reserve(size) > available {
		return fmt.Errorf("allocate %s: this machine has %s of memory available (MemAvailable in "+
			"/proc/meminfo), of which %s must stay free; ask for fewer items or a smaller log",
			mib(size), mib(available), mib(reserve(size)))
	}
	return checkGroups(root, "memory", memoryLimits, size+reserve(size), mib(size))
}

// fitsHugeTLB is fits for pages of the reserved pool, which has limits of its own: where one is
// exceeded, the kernel hands out the mapping, and ends the process when it touches it.
func fitsHugeTLB(root fs.FS, size int64) error {
	asked := mib(size) + " of reserved huge pages"
	if err := checkGroups(root, "hugetlb", hugeTLBLimits, size, asked); err != nil {
		return err
	}
	if strings.Contains(text(root, "proc/self/mountinfo"), "memory_hugetlb_accounting") {
		return checkGroups(root, "memory", memoryLimits, size, asked)
	}
	return nil
}

// checkGroups holds need bytes against these limits of each control group that this process is in.
func checkGroups(
	root fs.FS, controller string, limits []limitFiles, need int64, asked string,
) error {
	for _, dir := range groupDirs(root, controller) {
		for _, f := range limits {
			l, ok := f.read(root, dir)
			if !ok || need <= l.max-l.used {
				continue
			}
			// What is cached of files goes when memory is needed. The kernel adds it up on demand.
			if l.used -= reclaimable(root, dir, f); need <= l.max-l.used {
				continue
			}
			return fmt.Errorf("allocate %s: the control group of this process has a limit of %s, with "+
				"%s in use (/%s/%s), and %s would have to be free; ask for fewer items or a smaller log, "+
				"or for more memory (Slurm: --mem; Kubernetes: resources.limits.memory)",
				asked, mib(l.max), mib(l.used), dir, f.max, mib(need))
		}
	}
	return nil
}

// mib rounds up, so that a limit is never said to be met where it is not.
func mib(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20) }
