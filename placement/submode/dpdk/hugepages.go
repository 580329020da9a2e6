package dpdk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// InMemory tells when a program starts with the option --in-memory. DPDK then takes pages of every
// pool, and else only of those whose size hugetlbfs mounts.
type InMemory bool

// Open vSwitch always adds the option. [Testpmd] adds it where pages of 2 MiB are not mounted.
const (
	Always          InMemory = true
	WhereNotMounted InMemory = false
)

// HugePages expects free huge pages for a DPDK program. freedBy is the PID file of a program whose
// pages are free once the datapath restarts it; "": none.
func HugePages(mebibytes int, freedBy string, inMemory InMemory) step.Step {
	return step.Step{
		Purpose: fmt.Sprintf("%d MiB of free huge pages for DPDK", mebibytes),
		Run: step.Shell(`
for pool in /sys/kernel/mm/hugepages/hugepages-*kB; do
	size=${pool##*-}
	echo "pool ${size%kB} $(cat "$pool/free_hugepages")"
done
while read -r _ folder type options _; do
	test "$type" != hugetlbfs || echo "mounted $folder $options"
done </proc/mounts
sed -n 's/^Hugepagesize: *\([0-9]*\) kB/default \1/p' /proc/meminfo
if pid=$(cat "$1" 2>/dev/null); then
	sed -n 's/^HugetlbPages:[^0-9]*\([0-9]*\) kB/held \1/p' "/proc/$pid/status" 2>/dev/null || :
fi`, cmp.Or(freedBy, "none")), // sudo keeps no empty word at the end
		Expect: func(out string) error { return enoughPages(out, mebibytes, inMemory) },
		Advice: "by hand: echo 2048 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages; " +
			"until the next boot, or for good where the image has it: doca-hugepages config --help",
	}
}

// hugePages are the pools of a node. Sizes are in kB.
type hugePages struct {
	free     map[uint64]uint64 // pages by their size
	mounted  map[uint64]bool   // sizes that hugetlbfs mounts
	byItself uint64            // the size of a mount that names none
	held     uint64            // kB that will be free
}

func enoughPages(out string, mebibytes int, inMemory InMemory) error {
	h, err := parseHugePages(out)
	if err != nil {
		return err
	}
	const usual = 2048 // kB
	everyPool := inMemory == Always || !h.mounted[usual]
	usable := h.held
	var pools []string
	for _, size := range slices.Sorted(maps.Keys(h.free)) {
		pool := fmt.Sprintf("%d free of %d kB", h.free[size], size)
		if everyPool || h.mounted[size] {
			usable += size * h.free[size]
		} else {
			pool += " (not mounted)"
		}
		pools = append(pools, pool)
	}
	if usable >= uint64(mebibytes)<<10 {
		return nil
	}
	return fmt.Errorf("found %d MiB in huge pages: %s, allowed: %d MiB or more",
		usable>>10, strings.Join(pools, ", "), mebibytes)
}

func parseHugePages(out string) (*hugePages, error) {
	h := &hugePages{free: map[uint64]uint64{}, mounted: map[uint64]bool{}}
	var options []string
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		var err error
		switch {
		case f[0] == "mounted" && len(f) == 3:
			options = append(options, f[2])
		case f[0] == "pool" && len(f) == 3:
			err = h.pool(f[1], f[2])
		case f[0] == "default":
			h.byItself, err = strconv.ParseUint(f[1], 10, 40)
		case f[0] == "held":
			h.held, err = strconv.ParseUint(f[1], 10, 40)
		}
		if err != nil {
			return nil, fmt.Errorf("huge pages: found %q: %w", line, err)
		}
	}
	for _, o := range options {
		h.mounted[h.pageSize(o)] = true
	}
	return h, nil
}

func (h *hugePages) pool(size, free string) error {
	kB, err := strconv.ParseUint(size, 10, 32)
	if err == nil {
		h.free[kB], err = strconv.ParseUint(free, 10, 24)
	}
	return err
}

// pageSize reads the option pagesize of a mount, such as 2M.
func (h *hugePages) pageSize(options string) uint64 {
	for o := range strings.SplitSeq(options, ",") {
		text, ok := strings.CutPrefix(o, "pagesize=")
		if !ok || text == "" {
			continue
		}
		unit := uint64(1)
		switch text[len(text)-1] {
		case 'M':
			unit = 1 << 10
		case 'G':
			unit = 1 << 20
		}
		if n, err := strconv.ParseUint(strings.TrimRight(text, "KMG"), 10, 32); err == nil {
			return n * unit
		}
	}
	return h.byItself
}
