package results

import "slices"

// studyPlacements are the study's placements, in the order in which legends and tables list them.
// Placements of a testbed's own follow them, by name.
var studyPlacements = []string{"CH-SH", "CD-SH", "CDH-SH", "CH-SD", "CD-SD", "L-CD-SH"}

var placement = &Dimension{
	name: "placement", title: "placement",
	text:  func(p *Point) string { return p.Placement },
	shown: func(p *Point) string { return p.Placement },
	label: func(p *Point) string { return p.Placement },
	rank: func(name string) int {
		if i := slices.Index(studyPlacements, name); i >= 0 {
			return i
		}
		return len(studyPlacements)
	},
}
