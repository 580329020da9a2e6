package machine

import (
	"cmp"
	"slices"
	"strconv"

	"dpukv/internal/cpu"
)

// Cores groups CPUs by the physical core they are threads of, with the cores of one package next to
// each other. A CPU without kernel topology is a core of its own.
func Cores(cpus []int) [][]int { return cores("/", cpus) }

func cores(fs root, cpus []int) [][]int {
	type place struct{ pkg, first int } // a core is named by its first thread
	threads := map[place][]int{}
	for _, c := range cpus {
		dir := "sys/devices/system/cpu/cpu" + strconv.Itoa(c) + "/topology/"
		at := place{first: c}
		at.pkg, _ = strconv.Atoi(fs.read(dir + "physical_package_id"))
		if siblings, err := cpu.ParseList(fs.read(dir + "thread_siblings_list")); err == nil {
			at.first = slices.Min(siblings)
		}
		threads[at] = append(threads[at], c)
	}
	places := make([]place, 0, len(threads))
	for at := range threads {
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.first, b.first))
	})
	groups := make([][]int, len(places))
	for i, at := range places {
		groups[i] = threads[at]
	}
	return groups
}
