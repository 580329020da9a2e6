package card

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// Mode is a card's mode of operation; "": unknown.
type Mode string

// The modes.
const (
	Separated Mode = "separated"
	DPU       Mode = "dpu"
	NIC       Mode = "nic"
)

// titles name the modes as NVIDIA's documents do.
var titles = map[Mode]string{
	Separated: "separated-host mode",
	DPU:       "DPU mode (embedded CPU)",
	NIC:       "NIC mode",
	"":        "an unknown mode",
}

// Title names the mode in words.
func (m Mode) Title() string { return titles[m] }

// The keys of mlxconfig that decide the mode.
const (
	modelKey  = "INTERNAL_CPU_MODEL"
	engineKey = "INTERNAL_CPU_OFFLOAD_ENGINE"
)

// Card is a BlueField with its mode.
type Card struct {
	PCI        string // of the function that was asked about
	Device     string // that mlxconfig opened: PCI, or a device of mst
	Generation string // "bf1", "bf2", "bf3"; "": unknown
	Firmware   string // its version; "": unknown
	Default    Mode
	Current    Mode // which holds now
	NextBoot   Mode // which holds after the next power cycle
	NoModel    bool // the firmware has no INTERNAL_CPU_MODEL, and so no separated-host mode
	ReadOnly   bool // the firmware does not let this node change the mode
	// Channels are the channels of the function's interfaces, in each of which a core may work.
	Channels map[string]int
}

// Marks in the output of Query's command, each with a value.
const (
	deviceMark   = "dpukv-device"
	idMark       = "dpukv-id"
	firmwareMark = "dpukv-firmware"
	failedMark   = "dpukv-failed"
	channelsMark = "dpukv-channels" // of an interface
)

// Query returns the command that reads a card's mode. It changes nothing. A kernel that is locked
// down, as under secure boot, may refuse mlxconfig the PCI address; the device of mst is tried
// then. The keys are asked for one by one, because firmware may lack one. Distributions have
// mlxconfig as mstconfig.
func Query(pci string) []string {
	return step.Shell(queryScript, pci, modelKey, engineKey)
}

const queryScript = `
root=; test "$(id -u)" = 0 || root="sudo -n"
tool=mlxconfig
command -v $tool >/dev/null || ! command -v mstconfig >/dev/null || tool=mstconfig
ask() { $root $tool -d "$1" -e query "$2" 2>&1; }
lacks() {
	case $1 in *"support $2 param"*|*"Unknown Parameter $2"*) echo "` + failedMark + ` $2" ;;
	*) false ;; esac
}
device=$1
said=$(ask "$device" "$2") || lacks "$said" "$2" || {
	device=$($root mst status -v 2>/dev/null |
		awk -v a="$1" -v b="${1#0000:}" '$3 == a || $3 == b { print $2; exit }')
	test -n "$device" || { echo "$said" >&2; exit 1; }
	again=$(ask "$device" "$2") || lacks "$again" "$2" || {
		printf '%s\n' "$said" "$device: $again" >&2
		exit 1
	}
	said=$again
}
printf '%s\n' "$said" "` + deviceMark + ` $device"
said=$(ask "$device" "$3") || echo "` + failedMark + ` $3"
printf '%s\n' "$said"
echo "` + idMark + ` $(cat "/sys/bus/pci/devices/$1/device" 2>/dev/null)"
echo "` + firmwareMark + ` $(cat "/sys/bus/pci/devices/$1"/infiniband/*/fw_ver 2>/dev/null |
	head -n 1)"
`

// channelsScript prints the channels of a function's interfaces.
const channelsScript = `
for i in /sys/class/net/*; do
	d=$(readlink -f "$i/device")
	test "${d##*/}" != "$1" || ethtool -l "${i##*/}" 2>/dev/null |
		sed -n "1,/^Current/d; s/^Combined:/` + channelsMark + ` ${i##*/}/p"
done`

// Read asks a node about a card.
func Read(ctx context.Context, n step.Node, pci string) (Card, error) {
	out, err := n.Run(ctx, Query(pci))
	what := "the mode of the card " + pci
	if err != nil {
		return Card{PCI: pci}, step.Advise(n.About(what, err), "install NVIDIA's firmware tools "+
			"there (mlxconfig), run \"mst start\", and log in as root or allow "+
			"\"sudo -n mlxconfig\"")
	}
	if more, err := n.Run(ctx, step.Shell(channelsScript, pci)); err == nil {
		out += more // channels are a fact beside the mode, where ethtool tells them
	}
	c, err := Parse(out)
	c.PCI = pci
	if err != nil {
		return c, n.About(what, err)
	}
	return c, nil
}

// Parse reads the output of Query's command.
func Parse(out string) (Card, error) {
	var c Card
	values, failed := map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(out) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "*"))
		readOnly := len(f) > 1 && f[0] == "RO" // as a host sees it that is not trusted
		if readOnly {
			f = f[1:]
		}
		switch {
		case len(f) < 2:
		case f[0] == channelsMark && len(f) == 3:
			if n, err := strconv.Atoi(f[2]); err == nil {
				if c.Channels == nil {
					c.Channels = map[string]int{}
				}
				c.Channels[f[1]] = n
			}
		case f[0] == deviceMark:
			c.Device = f[1]
		case f[0] == idMark:
			c.Generation = generations[f[1]]
		case f[0] == firmwareMark:
			c.Firmware = f[1]
		case f[0] == failedMark:
			failed[f[1]] = true
		case len(f) > 3 && (f[0] == modelKey || f[0] == engineKey) && values[f[0]] == nil:
			values[f[0]] = []string{number(f[1]), number(f[2]), number(f[3])}
			c.ReadOnly = c.ReadOnly || readOnly
		}
	}
	model, engine := values[modelKey], values[engineKey]
	if model == nil && c.Generation != "" && lacksKey(out, modelKey, failed) {
		// NVIDIA's own scripts take such a BlueField for one in DPU mode.
		c.NoModel, model = true, []string{"1", "1", "1"}
	}
	if model == nil {
		return c, fmt.Errorf("mlxconfig: found no %s: %s", modelKey, step.Shorten(out))
	}
	if engine == nil {
		if !lacksKey(out, engineKey, failed) {
			return c, fmt.Errorf("mlxconfig: found no %s: %s", engineKey, step.Shorten(out))
		}
		engine = []string{"0", "0", "0"} // such firmware has no NIC mode
	}
	for i, mode := range []*Mode{&c.Default, &c.Current, &c.NextBoot} {
		*mode = modeOf(model[i], engine[i])
	}
	return c, nil
}

// lacksKey reports whether mlxconfig said that the firmware, or the tool, does not know a key
// (mstflint's mlxconfig/mlxcfg_generic_commander.cpp). Another failure leaves the mode unknown.
func lacksKey(out, key string, failed map[string]bool) bool {
	return failed[key] && (strings.Contains(out, "doesn't support "+key+" parameter") ||
		strings.Contains(out, "Unknown Parameter "+key))
}

func modeOf(model, engine string) Mode {
	switch {
	case engine == "1":
		return NIC
	case engine == "0" && model == "1":
		return DPU
	case engine == "0" && model == "0":
		return Separated
	}
	return ""
}

// number returns the number of a value: newer versions of mlxconfig print a name with it.
func number(value string) string {
	if m := inBrackets.FindStringSubmatch(value); m != nil {
		return m[1]
	}
	return value
}

var inBrackets = regexp.MustCompile(`\((\d+)\)$`)

// Check refuses a card in another mode than the allowed one.
func (c *Card) Check(allowed Mode) error {
	if c.Current == allowed {
		return nil
	}
	why := ""
	if c.NextBoot == allowed {
		why = "; the allowed mode is set, and holds after a power cycle of the host"
	}
	switch {
	case c.NoModel && allowed == Separated:
		why += "; its firmware has no " + modelKey + ", and so no other mode"
	case c.ReadOnly:
		why += "; this node may only read it (RO): change it on the card's Arm"
	}
	return fmt.Errorf("found %s%s, allowed: %s", c.Current.Title(), why, allowed.Title())
}

// settings are the keys that lead to a mode.
var settings = map[Mode]string{
	Separated: "INTERNAL_CPU_MODEL=0 INTERNAL_CPU_OFFLOAD_ENGINE=0",
	DPU: "INTERNAL_CPU_MODEL=1 INTERNAL_CPU_PAGE_SUPPLIER=0 INTERNAL_CPU_ESWITCH_MANAGER=0 " +
		"INTERNAL_CPU_IB_VPORT0=0 INTERNAL_CPU_OFFLOAD_ENGINE=0",
}

// HowTo returns the commands by which a person changes the mode. No command here does it: a change
// takes a power cycle.
func HowTo(pci string, mode Mode) string {
	return "by hand, as root, then a power cycle of the host: mst start; mlxconfig -d " + pci +
		" set " + settings[mode] + " (leave out a key that the firmware lacks)"
}
