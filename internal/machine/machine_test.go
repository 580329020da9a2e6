package machine

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// tree makes a machine out of files.
func tree(t *testing.T, files map[string]string) root {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root(dir)
}

func TestReadsAServer(t *testing.T) {
	got := read(tree(t, map[string]string{
		"proc/cpuinfo":                  "processor\t: 0\nmodel name\t: Xeon E-2136\nflags\t\t: fpu hypervisor\n",
		"proc/meminfo":                  "MemTotal:       32000 kB\nMemFree: 1 kB",
		"proc/loadavg":                  "0.50 0.25 0.10 1/100 42",
		"sys/devices/system/cpu/online": "0-11",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "powersave",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "performance",
		"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor":            "powersave",
		"sys/devices/system/node/node0/cpulist":                           "0-11",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages":        "0",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages":      "0",
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages":           "512",
		"sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages":         "500",
		"sys/class/dmi/id/product_name":                                   "PowerEdge",
		".dockerenv":                                                      "",
	}))
	want := Facts{
		CPUModel: "Xeon E-2136", CPUs: 12, Governor: "performance,powersave", NUMANodes: 1, Clocksource: "tsc",
		MemoryBytes: 32000 << 10, THP: "madvise",
		HugePages:   []HugePagePool{{2 << 20, 512, 500}, {1 << 30, 0, 0}},
		LoadAverage: []float64{0.5, 0.25, 0.1}, Product: "PowerEdge", Virtualization: "hypervisor,container",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func TestUnknownStaysEmpty(t *testing.T) {
	if got := read(tree(t, nil)); !reflect.DeepEqual(got, Facts{}) {
		t.Errorf("a machine that tells nothing gave %+v", got)
	}
}

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

func TestCgroupQuota(t *testing.T) {
	for name, test := range map[string]struct {
		files   map[string]string
		version string
		quota   float64
	}{
		"v2, the parent is tighter": {map[string]string{
			"sys/fs/cgroup/cgroup.controllers": "cpu",
			"proc/self/cgroup":                 "0::/a/b",
			"sys/fs/cgroup/a/b/cpu.max":        "400000 100000",
			"sys/fs/cgroup/a/cpu.max":          "150000 100000",
		}, "v2", 1.5},
		"v2, no limit": {map[string]string{
			"sys/fs/cgroup/cgroup.controllers": "cpu",
			"proc/self/cgroup":                 "0::/a",
			"sys/fs/cgroup/a/cpu.max":          "max 100000",
		}, "v2", 0},
		"v1": {map[string]string{
			"proc/self/cgroup":                        "5:memory:/x\n4:cpu,cpuacct:/box\n",
			"sys/fs/cgroup/cpu/box/cpu.cfs_quota_us":  "200000",
			"sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":      "-1",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":     "100000",
		}, "v1", 2},
	} {
		version, quota := cgroup(tree(t, test.files))
		if version != test.version || quota != test.quota {
			t.Errorf("%s: got %q and %v, want %q and %v", name, version, quota, test.version, test.quota)
		}
	}
}

func TestCoresGroupSiblings(t *testing.T) {
	files := map[string]string{}
	for i, cpu := range []string{"cpu0", "cpu1", "cpu2", "cpu3"} {
		files["sys/devices/system/cpu/"+cpu+"/topology/thread_siblings_list"] = []string{"0,2", "1,3"}[i%2]
	}
	if got, want := cores(tree(t, files), []int{0, 1, 2, 3}), [][]int{{0, 2}, {1, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := cores(tree(t, nil), []int{4, 5}), [][]int{{4}, {5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("nothing known: got %v, want %v", got, want)
	}
}

func TestThisMachine(t *testing.T) {
	facts := Read()
	if facts.Kernel == "" || facts.Arch == "" || len(facts.AllowedCPUs) == 0 || facts.GoVersion == "" {
		t.Errorf("every Linux tells these: %+v", facts)
	}
}

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
