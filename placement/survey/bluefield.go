package survey

import (
	"context"
	"path/filepath"

	"dpukv/placement/submode/card"
	"dpukv/placement/submode/step"
)

// BlueField describes a DPU's card, seen from its host or from itself.
type BlueField struct {
	Generation string `json:"generation"`         // "bf1", "bf2", "bf3"
	Bus        string `json:"bus"`                // of its first function
	Mode       string `json:"mode,omitempty"`     // OffPath, OnPath, NICMode; "": unknown
	Evidence   string `json:"evidence,omitempty"` // for the mode
}

// The modes of a BlueField.
const (
	OffPath = "off-path" // separated host: host and DPU are peers on the network
	OnPath  = "on-path"  // embedded CPU, "DPU mode": the host's traffic passes the DPU
	NICMode = "nic"      // the Arm cores take no part
)

// words are this package's names of the modes.
var words = map[card.Mode]string{card.Separated: OffPath, card.DPU: OnPath, card.NIC: NICMode}

// CardMode returns the mode; "": there is no card, or the mode is unknown.
func (b *BlueField) CardMode() card.Mode {
	if b != nil {
		for mode, word := range words {
			if word == b.Mode {
				return mode
			}
		}
	}
	return ""
}

// hostRepresentor is the interface that represents the host's function on a card, where the host is
// behind the card.
const hostRepresentor = "pf0hpf"

func blueField(ctx context.Context, sys string, nets []Interface) *BlueField {
	dirs, _ := filepath.Glob(filepath.Join(sys, "bus/pci/devices/*"))
	for _, dir := range dirs {
		generation := card.Generation(word(dir, "device"))
		if generation == "" || word(dir, "vendor") != "0x15b3" {
			continue
		}
		b := &BlueField{Generation: generation, Bus: filepath.Base(dir)}
		if b.askMlxconfig(ctx); b.Mode == "" {
			b.look(nets)
		}
		return b
	}
	return nil
}

// askMlxconfig reads the mode that holds now from the firmware. That needs NVIDIA's firmware tools,
// and root or sudo.
func (b *BlueField) askMlxconfig(ctx context.Context) {
	here := step.Via("here", func(argv []string) ([]string, error) { return argv, nil })
	c, err := card.Read(ctx, here, b.Bus)
	if err != nil {
		return
	}
	b.Mode, b.Evidence = words[c.Current], "mlxconfig, the current mode"
	if c.NextBoot != c.Current {
		b.Evidence += "; after a power cycle " + c.NextBoot.Title()
	}
}

// look finds the host's representor. Only a card on the host's path has one.
func (b *BlueField) look(nets []Interface) {
	for _, it := range nets {
		if it.Name == hostRepresentor {
			b.Mode, b.Evidence = OnPath, "the interface "+it.Name
			return
		}
	}
	b.Evidence = "no mlxconfig that answers (install mft, run as root)"
}
