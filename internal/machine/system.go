package machine

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// osName is the system's name in its own words: "Ubuntu 24.04.1 LTS".
func osName(fs root) string {
	text := cmp.Or(fs.read("etc/os-release"), fs.read("usr/lib/os-release"))
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// microcode names the versions of all CPUs, each once.
func microcode(fs root) string {
	var versions []string
	for line := range strings.Lines(fs.read("proc/cpuinfo")) {
		key, value, ok := strings.Cut(line, ":")
		v := strings.TrimSpace(value)
		if ok && strings.TrimSpace(key) == "microcode" && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	return strings.Join(versions, ",")
}

// mitigations reads what the kernel does against each vulnerability.
func mitigations(fs root) map[string]string {
	var found map[string]string
	for _, path := range fs.glob("sys/devices/system/cpu/vulnerabilities/*") {
		if text := fs.read(path); text != "" {
			if found == nil {
				found = map[string]string{}
			}
			found[filepath.Base(path)] = text
		}
	}
	return found
}
