package submode

import (
	"slices"

	"dpukv/placement/submode/packetfilter"
)

// datapaths are all datapaths, those of a target and submode in the order of preference. Each is a
// value in a file of its own, or in one with its variants.
var datapaths = []*datapath{
	offPath,
	cable,
	ovsSystem,
	ovsNetdev,
	bridge,
	ovsDPDK,
	ovsDPDKXDP,
	ovsFlower,
	testpmd,
	testpmdXDP,
	tcx,
	u32,
	blueFieldOffPath,
	blueFieldOffPathSF,
	blueFieldKernel,
	blueFieldDPDK,
	blueFieldTestpmd,
	blueFieldKernelOffload,
	blueFieldDPDKOffload,
	blueFieldDOCA,
}

func candidates(target, submode string) (list []*datapath) {
	for _, d := range datapaths {
		if d.target == target && slices.Contains(d.submodes, submode) {
			list = append(list, d)
		}
	}
	return list
}

// Datapaths returns the names of a target's datapaths for a submode, in the order of preference.
func Datapaths(target, submode string) []string { return names(candidates(target, submode)) }

// ByDefault returns the datapaths to try where none is asked for, in their order. All of them can
// do the filter's work.
func ByDefault(target, submode string, work packetfilter.Filter) []string {
	return names(byDefault(target, submode, &work))
}

func byDefault(target, submode string, work *packetfilter.Filter) []*datapath {
	return slices.DeleteFunc(candidates(target, submode), func(d *datapath) bool {
		return d.onlyAsked || d.refuses(work) != nil
	})
}

func names(list []*datapath) (names []string) {
	for _, d := range list {
		names = append(names, d.name)
	}
	return names
}

// lookup finds a datapath by its name; nil if there is none.
func lookup(target, submode, name string) *datapath {
	for _, d := range candidates(target, submode) {
		if d.name == name {
			return d
		}
	}
	return nil
}
