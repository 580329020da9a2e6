package machine

import "testing"

func TestEmulatorShowsInTheKernelsFiles(t *testing.T) {
	const x86, arm = "vendor_id\t: AuthenticAMD\n", "CPU implementer\t: 0x41\n"
	for _, test := range []struct{ own, arch, cpuinfo, want string }{
		{"arm64", "x86_64", x86, "arm64 on x86_64"},
		{"arm64", "", x86, "arm64 on x86"}, // before Linux 6.1
		{"arm64", "aarch64", arm, ""},
		{"arm64", "", arm, ""},
		{"amd64", "aarch64", arm, "amd64 on aarch64"},
		{"amd64", "x86_64", x86, ""},
		{"amd64", "", x86, ""},
		{"riscv64", "riscv64", "", ""},
	} {
		files := map[string]string{"proc/cpuinfo": test.cpuinfo}
		if test.arch != "" {
			files["proc/sys/kernel/arch"] = test.arch
		}
		if got := emulator(tree(t, files), test.own); got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}
