package machine

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dpukv/internal/test/must"
)

// tree makes a machine out of files.
func tree(t *testing.T, files map[string]string) root {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(content+"\n"), 0o644))
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
		"sys/kernel/mm/transparent_hugepage/hpage_pmd_size":               "2097152",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages":        "0",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages":      "0",
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages":           "512",
		"sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages":         "500",
		"sys/class/dmi/id/product_name":                                   "PowerEdge",
		".dockerenv":                                                      "",
	}))
	want := Facts{
		CPUModel: "Xeon E-2136", CPUs: 12, Governor: "performance,powersave", NUMANodes: 1, Clocksource: "tsc",
		MemoryBytes: 32000 << 10, THP: "madvise", THPBytes: 2 << 20,
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

func TestThisMachine(t *testing.T) {
	facts := Read()
	if facts.Kernel == "" || facts.PageBytes < 4096 ||
		facts.Arch == "" || len(facts.AllowedCPUs) == 0 || facts.GoVersion == "" {
		t.Errorf("every Linux tells these: %+v", facts)
	}
}
