//go:build ibverbs && linux

package ibverbs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Counters are those that the kernel shows for the port. Which there are is the driver's choice.
func (d *Device) Counters() map[string]uint64 {
	counters := make(map[string]uint64)
	for _, folder := range []string{"counters", "hw_counters"} {
		dir := filepath.Join(d.sysfs, "ports", fmt.Sprint(d.port), folder)
		files, _ := os.ReadDir(dir) // a driver without counters has no folder
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				continue // some ports list counters that they cannot read
			}
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && f.Name() != "lifespan" {
				counters[f.Name()] = n
			}
		}
	}
	return counters
}
