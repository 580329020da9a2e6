package survey

import (
	"context"
	"path/filepath"
	"regexp"
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

// generations maps the PCI IDs of the network functions (pci.ids, vendor 15b3). The host and the
// card see the same IDs.
var generations = map[string]string{"0xa2d2": "bf1", "0xa2d6": "bf2", "0xa2dc": "bf3"}

// hostRepresentor is the interface that represents the host's function on a card, where the host is
// behind the card.
const hostRepresentor = "pf0hpf"

func blueField(ctx context.Context, sys string, nets []Interface) *BlueField {
	dirs, _ := filepath.Glob(filepath.Join(sys, "bus/pci/devices/*"))
	for _, dir := range dirs {
		generation := generations[word(dir, "device")]
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

// askMlxconfig reads the firmware's configuration, which needs root and NVIDIA's firmware tools.
func (b *BlueField) askMlxconfig(ctx context.Context) {
	out, err := output(ctx, "mlxconfig", "-d", b.Bus, "q", "INTERNAL_CPU_MODEL",
		"INTERNAL_CPU_OFFLOAD_ENGINE")
	if err == nil {
		b.Mode, b.Evidence = modeOf(out),
			"mlxconfig, as after the last power cycle unless it was changed since"
	}
}

var (
	cpuModel      = regexp.MustCompile(`INTERNAL_CPU_MODEL\s+\w+\((\d)\)`)
	offloadEngine = regexp.MustCompile(`INTERNAL_CPU_OFFLOAD_ENGINE\s+\w+\((\d)\)`)
)

// modeOf reads mlxconfig's lines, such as:
//
//	INTERNAL_CPU_MODEL           EMBEDDED_CPU(1)
//	INTERNAL_CPU_OFFLOAD_ENGINE  DISABLED(1)
func modeOf(mlxconfig string) string {
	digit := func(re *regexp.Regexp) string {
		if m := re.FindStringSubmatch(mlxconfig); m != nil {
			return m[1]
		}
		return ""
	}
	switch model := digit(cpuModel); {
	case digit(offloadEngine) == "1":
		return NICMode
	case model == "1":
		return OnPath
	case model == "0":
		return OffPath
	}
	return ""
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
