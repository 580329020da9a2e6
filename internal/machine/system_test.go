package machine

import (
	"maps"
	"testing"
)

func TestSystem(t *testing.T) {
	got := read(tree(t, map[string]string{
		"etc/os-release": "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"",
		"proc/cmdline":   "BOOT_IMAGE=/vmlinuz rd.luks.key=/k isolcpus=1-3",
		"proc/cpuinfo":   "microcode\t: 0xf4\nprocessor: 1\nmicrocode\t: 0xf6\nmicrocode\t: 0xf4\n",
		"sys/devices/system/cpu/vulnerabilities/meltdown":   "Not affected",
		"sys/devices/system/cpu/vulnerabilities/spectre_v2": "Mitigation: Enhanced / Automatic IBRS",
	}))
	if got.OS != "Ubuntu 24.04.1 LTS" || got.Microcode != "0xf4,0xf6" ||
		got.KernelCommandLine != "BOOT_IMAGE=/vmlinuz rd.luks.key=[redacted] isolcpus=1-3" {
		t.Errorf("found %+v", got)
	}
	if want := map[string]string{
		"meltdown": "Not affected", "spectre_v2": "Mitigation: Enhanced / Automatic IBRS",
	}; !maps.Equal(got.Mitigations, want) {
		t.Errorf("found %v", got.Mitigations)
	}
	if got := osName(tree(t, map[string]string{"usr/lib/os-release": "PRETTY_NAME='Debian'"})); got != "Debian" {
		t.Errorf("found %q", got)
	}
}
