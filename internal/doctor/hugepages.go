package doctor

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/machine"
)

// hugePageBytes is the size of huge pages that suit any table. A table of some MiB leaves larger
// ones half empty, and so does not get them.
const hugePageBytes = 2 << 20

// hugepages finds pages of 2 MiB, reserved or transparent. A kernel whose base pages have 64 KiB
// makes transparent ones of 512 MiB, and often has a pool of these alone.
func hugepages(p *patient) Finding {
	found := pools(p.facts.HugePages)
	if slices.ContainsFunc(p.facts.HugePages, func(pool machine.HugePagePool) bool {
		return pool.PageBytes == hugePageBytes && pool.Free > 0
	}) {
		return ok(found)
	}
	const effect = "a table of more than a few MiB misses the TLB at nearly every access"
	switch {
	case p.facts.THPBytes > hugePageBytes:
		return spoils(fmt.Sprintf("%s; transparent: %s, of %s", found, p.facts.THP,
			bytesOf(p.facts.THPBytes)), "a table smaller than the huge pages gets none of them, "+
			"and misses the TLB", reserve)
	case p.facts.THP == "always" || p.facts.THP == "madvise":
		return ok("transparent: " + p.facts.THP)
	case p.facts.THP == "":
		return spoils(found+", and a kernel without transparent ones", effect, reserve)
	}
	return spoils(found+", and transparent ones: "+p.facts.THP, effect,
		"echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled")
}

// reserve reserves 1 GiB in pages of 2 MiB. The setting vm.nr_hugepages would reserve as many pages
// of the kernel's default size, which may be 512 MiB.
const reserve = "echo 512 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

// pools describes the pools that have pages.
func pools(all []machine.HugePagePool) string {
	var some []string
	for _, pool := range all {
		if pool.Total > 0 {
			some = append(some, fmt.Sprintf("%d of %d pages of %s free", pool.Free, pool.Total,
				bytesOf(pool.PageBytes)))
		}
	}
	if some == nil {
		return "no pool"
	}
	return strings.Join(some, ", ")
}

func bytesOf(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
