package machine

import (
	"runtime"
	"strings"
)

// emulator names the emulation of this program's instructions, as by qemu-user: "arm64 on x86_64".
// Such a process sees its own architecture in uname, but the kernel's files are the real machine's.
func emulator(fs root, own string) string {
	native := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[own]
	real := fs.read("proc/sys/kernel/arch") // since Linux 6.1
	if real == "" && own != "amd64" && strings.Contains(fs.read("proc/cpuinfo"), "vendor_id") {
		// only its /proc/cpuinfo has that field, which qemu-user hands through before 9.0
		real = "x86"
	}
	if real == "" || native == "" || real == native {
		return ""
	}
	return own + " on " + real
}

// Emulator is the emulation of this process; see [Facts].
func Emulator() string { return emulator("/", runtime.GOARCH) }

// EmulatorWarning warns of an emulation of what is named. Such figures prove that dpukv works on
// the architecture, and say nothing about its speed. It is "" without an emulation.
func EmulatorWarning(what, emulation string) string {
	if emulation == "" {
		return ""
	}
	return what + " runs under an emulator (" + emulation + "): its times are those of no machine"
}
