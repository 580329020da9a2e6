package testbedcheck

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/placement/submode"
	"dpukv/placement/survey"
	"dpukv/placement/testbed"
)

// limits tells which submodes the modes of the cards allow, of both sides; "": off-path, or there
// is no card.
func (t *table) limits(c *testbed.Assignment) string {
	var said []string
	for _, n := range c.All() {
		host := n.HostNode()
		text := ""
		switch mode, known := t.modeIn(host); {
		case known && mode == "":
			text = fmt.Sprintf("; the mode of the card in %s is not known, so off-path is not "+
				"verified", host)
		case mode == survey.OnPath:
			text = fmt.Sprintf("; not %s: the card in %s is in DPU mode, for %s and on-path "+
				"submodes", submode.OffPath, host, submode.OffPathSF)
		case mode == survey.NICMode:
			text = fmt.Sprintf("; the card in %s is in NIC mode, and no separated host", host)
		}
		if text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "")
}

// modeIn returns the mode of the card in a host, as its DPU or the host tells. known tells that
// there is a card.
func (t *table) modeIn(host string) (mode string, known bool) {
	nodes := []*testbed.Node{t.bed.DPUOf(host), t.bed.Node(host)}
	for _, n := range nodes {
		if n == nil || n.Emulated() {
			continue
		}
		v := t.visit(n.Name)
		if v.err != nil || v.found.Report.BlueField == nil {
			continue
		}
		if known = true; v.mode() != "" {
			return v.mode(), true
		}
	}
	return "", known
}
