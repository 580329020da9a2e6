package machine

import "testing"

func TestArmCores(t *testing.T) {
	for cpuinfo, want := range map[string]string{
		"CPU implementer\t: 0x41\nCPU part\t: 0xd08\n": "Cortex-A72",
		"CPU implementer\t: 0x41\nCPU part\t: 0xfff\n": "implementer 0x41 part 0xfff",
		"CPU implementer\t: 0x4e\nCPU part\t: 0xd08\n": "implementer 0x4e part 0xd08",
	} {
		if got := cpuModel(tree(t, map[string]string{"proc/cpuinfo": cpuinfo})); got != want {
			t.Errorf("%q: got %q, want %q", cpuinfo, got, want)
		}
	}
}

func TestProcessorFamily(t *testing.T) {
	for cpuinfo, want := range map[string]string{
		"vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t: 2\nmodel name\t: EPYC\n": "AMD family 26 model 2",
		"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n":                   "Intel family 6 model 85",
		"CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n":                                  "implementer 0x41 part 0xd0c",
		"": "",
	} {
		if got := processorFamily(tree(t, map[string]string{"proc/cpuinfo": cpuinfo})); got != want {
			t.Errorf("%q: got %q, want %q", cpuinfo, got, want)
		}
	}
}
