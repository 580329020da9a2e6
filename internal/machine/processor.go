package machine

import (
	"runtime/debug"
	"slices"
	"strings"

	"dpukv/internal/cpu"
)

// armParts names the Arm cores that a DPU or a server is likely to have. Arm's
// /proc/cpuinfo has numbers only, an implementer (0x41: Arm itself) and its part.
var armParts = map[string]string{
	"0xd03": "Cortex-A53",
	"0xd07": "Cortex-A57",
	"0xd08": "Cortex-A72",
	"0xd0b": "Cortex-A76",
	"0xd0c": "Neoverse-N1",
	"0xd40": "Neoverse-V1",
	"0xd41": "Cortex-A78",
	"0xd42": "Cortex-A78AE",
	"0xd49": "Neoverse-N2",
	"0xd4f": "Neoverse-V2",
}

// cpuModel is the model of the first CPU in the list.
func cpuModel(fs root) string {
	info := fs.read("proc/cpuinfo")
	if name := cpuinfoField(info, "model name"); name != "" {
		return name
	}
	implementer, part := cpuinfoField(info, "CPU implementer"), cpuinfoField(info, "CPU part")
	switch name := armParts[part]; {
	case implementer == "0x41" && name != "":
		return name
	case part != "":
		return "implementer " + implementer + " part " + part
	}
	return ""
}

// ProcessorFamily names this machine's processor by what a hypervisor seldom hides: "AMD family 26
// model 2", "implementer 0x41 part 0xd0c". Empty means unknown.
func ProcessorFamily() string { return processorFamily("/") }

func processorFamily(fs root) string {
	info := fs.read("proc/cpuinfo")
	field := func(name string) string { return cpuinfoField(info, name) }
	if family := field("cpu family"); family != "" {
		vendor := strings.NewReplacer("AuthenticAMD", "AMD", "GenuineIntel", "Intel").Replace(
			field("vendor_id"))
		return vendor + " family " + family + " model " + field("model")
	}
	if part := field("CPU part"); part != "" {
		return "implementer " + field("CPU implementer") + " part " + part
	}
	return ""
}

// cpuinfoField is the first value under name in /proc/cpuinfo.
func cpuinfoField(info, name string) string {
	for line := range strings.Lines(info) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func countCPUs(fs root) int {
	online, err := cpu.ParseList(fs.read("sys/devices/system/cpu/online"))
	if err != nil {
		return 0
	}
	return len(online)
}

// governor names the frequency governors in use, each once.
func governor(fs root) string {
	var names []string
	for _, path := range fs.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor") {
		if name := fs.read(path); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// virtualization names the visible layers between this process and the hardware.
func virtualization(fs root) string {
	var layers []string
	flags := strings.Fields(cpuinfoField(fs.read("proc/cpuinfo"), "flags"))
	if slices.Contains(flags, "hypervisor") || fs.exists("sys/hypervisor/type") {
		layers = append(layers, "hypervisor")
	}
	if fs.exists(".dockerenv") || fs.exists("run/.containerenv") ||
		fs.exists("run/systemd/container") {
		layers = append(layers, "container")
	}
	return strings.Join(layers, ",")
}

// goArchLevel is the compiler's processor setting, as in "GOAMD64=v1".
func goArchLevel() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range build.Settings {
		if s.Key == "GOAMD64" || s.Key == "GOARM64" {
			return s.Key + "=" + s.Value
		}
	}
	return ""
}
