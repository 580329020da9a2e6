package energy

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reading is the state of a machine's counters at one time. It is empty if the machine has none, or
// if one of them may not be read.
type Reading []Counter

// Counter is one domain of RAPL.
type Counter struct {
	Name string `json:"name"` // "package-0", "package-0 dram"
	UJ   uint64 `json:"uj"`   // microjoules
	// RangeUJ is the value at which the counter starts again.
	RangeUJ uint64 `json:"range_uj"`
}

const powercap = "/sys/class/powercap"

// Read reads the counters of this machine.
func Read() Reading { return readBelow(powercap) }

// readBelow reads the packages, and the memory where it is a domain of its own. Other domains are
// parts of a package, or contain packages.
func readBelow(root string) Reading {
	zones, err := filepath.Glob(filepath.Join(root, "intel-rapl:*")) // AMD's have this name, too
	if err != nil {
		return nil
	}
	slices.Sort(zones)
	var all Reading
	for _, zone := range zones {
		name := text(zone, "name")
		number, _, isPart := strings.Cut(strings.TrimPrefix(filepath.Base(zone), "intel-rapl:"),
			":")
		switch {
		case isPart && name == "dram":
			name = text(filepath.Join(root, "intel-rapl:"+number), "name") + " dram"
		case isPart || !strings.HasPrefix(name, "package-"):
			continue
		}
		c, ok := read(zone, name)
		if !ok {
			return nil
		}
		all = append(all, c)
	}
	return all
}

func read(zone, name string) (Counter, bool) {
	uj, err := strconv.ParseUint(text(zone, "energy_uj"), 10, 64)
	if err != nil {
		return Counter{}, false
	}
	most, err := strconv.ParseUint(text(zone, "max_energy_range_uj"), 10, 64)
	return Counter{name, uj, most}, err == nil
}

func text(zone, file string) string {
	b, err := os.ReadFile(filepath.Join(zone, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// mostWatts is more than a package uses. A counter that could go around twice within the time at
// this power tells nothing.
const mostWatts = 1000

// Between returns the energy between two readings of one machine, in microjoules, and the names of
// its counters. It returns 0 if the energy is unknown.
func Between(begin, end Reading, span time.Duration) (uj float64, by string) {
	if len(begin) != len(end) {
		return 0, ""
	}
	var names []string
	for i, e := range end {
		b := begin[i]
		if b.Name != e.Name || span.Seconds()*mostWatts*1e6 > float64(e.RangeUJ) {
			return 0, ""
		}
		used := e.UJ - b.UJ
		if e.UJ < b.UJ {
			used += e.RangeUJ
		}
		uj, names = uj+float64(used), append(names, e.Name)
	}
	if uj == 0 {
		return 0, ""
	}
	return uj, "rapl: " + strings.Join(names, ", ")
}
