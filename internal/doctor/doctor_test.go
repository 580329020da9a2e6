package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dpukv/internal/machine"
)

// recorded makes a machine out of files. A text that starts with "->" is a symbolic link.
func recorded(facts machine.Facts, files map[string]string) *patient {
	tree := fstest.MapFS{}
	for name, content := range files {
		if target, isLink := strings.CutPrefix(content, "->"); isLink {
			tree[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
			continue
		}
		tree[name] = &fstest.MapFile{Data: []byte(content + "\n")}
	}
	return &patient{
		facts: facts, fs: tree,
		features: func(string) ([]string, error) { return nil, nil },
		chains:   func() (string, error) { return "", nil },
		setting:  func(string, string) (string, error) { return "", nil },
	}
}

// server is a machine in its factory state: nearly everything is wrong.
func server() *patient {
	p := recorded(machine.Facts{
		Arch: "x86_64", CPUs: 12, Governor: "powersave", NUMANodes: 2, Clocksource: "hpet", THP: "never",
		LoadAverage: []float64{3.5, 1, 0.5}, Cgroup: "v2", QuotaCPUs: 1.5, Emulator: "amd64 on aarch64",
	}, map[string]string{
		"sys/devices/system/cpu/intel_pstate/no_turbo":                      "0",
		"sys/devices/system/cpu/cpu0/topology/thread_siblings_list":         "0,6",
		"sys/devices/system/cpu/cpu6/topology/thread_siblings_list":         "0,6",
		"sys/devices/system/cpu/cpu1/topology/thread_siblings_list":         "1,7",
		"sys/devices/system/cpu/cpu7/topology/thread_siblings_list":         "1,7",
		"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",

		"proc/sys/kernel/numa_balancing": "1",
		"proc/self/status":               "Name:\tdpukv\nCapEff:\t0000000000000000",
		"proc/self/limits": "Limit  Soft Limit  Hard Limit  Units\n" +
			"Max locked memory         8388608              8388608              bytes",
		"sys/class/infiniband/mlx5_0": "",
		"proc/sys/net/core/rmem_max":  "212992",
		"proc/sys/net/core/wmem_max":  "16777216",
		"proc/sys/net/ipv4/tcp_rmem":  "4096\t131072\t262144",
		"sys/class/net/lo/operstate":  "unknown",
		"sys/class/net/p0/operstate":  "up", "sys/class/net/p0/device/vendor": "0x15b3",
		"sys/class/net/p1/operstate": "down", "sys/class/net/p1/device/vendor": "0x15b3",
		"sys/class/net/p0/device/msi_irqs/40":       "msix",
		"sys/class/net/p0/device/msi_irqs/41":       "msix",
		"proc/irq/40/effective_affinity_list":       "3",
		"proc/irq/41/effective_affinity_list":       "3",
		"proc/sys/net/netfilter/nf_conntrack_count": "17",
	})
	p.features = func(nic string) ([]string, error) { return []string{"tso", "gro"}, nil }
	p.setting = func(string, string) (string, error) { return "force_relax(1)", nil }
	return p
}

// dpu is a carefully configured BlueField.
func dpu() *patient {
	return recorded(machine.Facts{
		Arch: "aarch64", CPUs: 8, Governor: "performance", NUMANodes: 1, Clocksource: "arch_sys_counter",
		THP:         "madvise",
		LoadAverage: []float64{0.02, 0, 0}, Cgroup: "v2",
	}, map[string]string{
		"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0",
		"proc/sys/kernel/numa_balancing":                            "1",
		"proc/self/status":                                          "CapEff:\t000001ffffffffff",
		"proc/self/limits":                                          "Max locked memory  65536  65536  bytes",
		"sys/class/infiniband/mlx5_0":                               "",
		"proc/sys/net/core/rmem_max":                                "212992",
		"proc/sys/net/ipv4/tcp_rmem":                                "4096 131072 6291456",
		"sys/class/net/p0/operstate":                                "up",
		"sys/class/net/p0/device":                                   "->../../../devices/virtio2",
		"sys/devices/virtio2/vendor":                                "0x1af4",
		"proc/interrupts": "           CPU0       CPU1\n" +
			" 35:          0          1  IO-APIC   5-edge      virtio2-config\n" +
			" 38:          0      17835  IO-APIC   6-edge      virtio2-input.0\n" +
			" 39:      14962          0  IO-APIC   7-edge      virtio2-output.0\n" +
			" 40:      14962          0  IO-APIC   8-edge      virtio20-output.0\n",
		"proc/irq/38/effective_affinity_list": "1",
		"proc/irq/39/effective_affinity_list": "",
		"proc/irq/39/smp_affinity_list":       "0-1",
		"proc/irq/40/effective_affinity_list": "5",
		"proc/7/comm":                         "ksoftirqd",
	})
}

func TestServerOutOfTheBox(t *testing.T) {
	findings := examine(server())
	for _, f := range findings {
		if f.Verdict != Spoils || f.Effect == "" || f.Found == "" {
			t.Errorf("%+v", f)
		}
		if len(f.Mend) == 0 && f.Check != "emulator" {
			t.Errorf("%s: nothing mends it", f.Check)
		}
	}
	if len(Spoiling(findings)) != len(checks) {
		t.Errorf("%d of %d spoil", len(Spoiling(findings)), len(checks))
	}
	for check, want := range map[string]string{
		"smt":      "2 cores have several CPUs each, such as 0,6",
		"sockets":  "net.core.rmem_max 212992, net.ipv4.tcp_rmem 262144",
		"irqs":     "p0: CPUs 3",
		"offloads": "p0 without tso, gro",
		"order":    "PCI_WR_ORDERING of p0 is force_relax(1)",
	} {
		if got := named(findings, check).Found; got != want {
			t.Errorf("%s: found %q, want %q", check, got, want)
		}
	}
	for check, want := range map[string]string{
		"turbo":    "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
		"clock":    "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
		"sockets":  "sudo sysctl -w net.ipv4.tcp_rmem='4096 131072 1048576'",
		"offloads": "sudo ethtool -K p0 tso on gro on",
		"quota":    "echo max | sudo tee /sys/fs/cgroup/GROUP/cpu.max   # GROUP: cat /proc/self/cgroup",
	} {
		if got := named(findings, check).Mend; !slices.Contains(got, want) {
			t.Errorf("%s: mended by %q, want %q", check, got, want)
		}
	}
}

func TestDPUInOrder(t *testing.T) {
	for _, f := range examine(dpu()) {
		if f.Verdict != OK || f.Mend != nil || f.Effect != "" {
			t.Errorf("%+v", f)
		}
	}
	if got := named(examine(dpu()), "irqs").Found; got != "p0: CPUs 0-1" {
		t.Errorf("interrupts: %s", got)
	}
}

// TestUnknownIsNotOK: a machine without readable settings passes no check that needs one.
func TestUnknownIsNotOK(t *testing.T) {
	p := recorded(machine.Facts{THP: "madvise"}, map[string]string{
		"sys/class/net/p0/device/vendor": "0x15b3",
	})
	p.features = func(string) ([]string, error) { return nil, errors.New("no") }
	p.chains = func() (string, error) { return "", errNotAllowed }
	p.setting = func(string, string) (string, error) { return "", errNotAllowed }
	without := []string{"emulator", "numa", "hugepages"} // for these, no file means no problem
	for _, f := range examine(p) {
		if want := slices.Contains(without, f.Check); (f.Verdict == OK) != want {
			t.Errorf("%+v", f)
		}
		if f.Verdict == Unknown && f.Found == "" {
			t.Errorf("%s: unknown for no reason", f.Check)
		}
	}
}

// TestEachCheck changes one setting at a time.
func TestEachCheck(t *testing.T) {
	type files = map[string]string
	for _, test := range []struct {
		name, check string
		facts       machine.Facts
		files       files
		want        Verdict
	}{
		{"turbo off (Intel)", "turbo", machine.Facts{}, files{"sys/devices/system/cpu/intel_pstate/no_turbo": "1"}, OK},
		{"turbo on (others)", "turbo", machine.Facts{}, files{"sys/devices/system/cpu/cpufreq/boost": "1"}, Spoils},
		{"turbo off (others)", "turbo", machine.Facts{}, files{"sys/devices/system/cpu/cpufreq/boost": "0"}, OK},
		{"governors differ", "governor", machine.Facts{Governor: "performance,powersave"}, nil, Spoils},
		{
			"a virtual CPU", "smt",
			machine.Facts{Virtualization: "hypervisor"},
			files{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0"},
			Unknown,
		},
		{"quota of v1", "quota", machine.Facts{Cgroup: "v1", QuotaCPUs: 0.5, CPUs: 2}, nil, Spoils},
		{"quota of all", "quota", machine.Facts{Cgroup: "v1", QuotaCPUs: 2, CPUs: 2}, nil, OK},
		{
			"no faster clock", "clock",
			machine.Facts{Clocksource: "jiffies"},
			files{"sys/devices/system/clocksource/clocksource0/available_clocksource": "jiffies"},
			Spoils,
		},
		{
			"free huge pages", "hugepages",
			machine.Facts{THP: "never", HugePages: []machine.HugePagePool{{PageBytes: 2 << 20, Total: 4, Free: 1}}},
			nil, OK,
		},
		{
			"huge pages all taken", "hugepages",
			machine.Facts{THP: "never", HugePages: []machine.HugePagePool{{PageBytes: 2 << 20, Total: 4}}},
			nil,
			Spoils,
		},
		{
			"transparent huge pages of 2 MiB", "hugepages",
			machine.Facts{THP: "madvise", THPBytes: 2 << 20},
			nil, OK,
		},
		{
			"transparent huge pages of 512 MiB", "hugepages",
			machine.Facts{THP: "always", THPBytes: 512 << 20},
			nil,
			Spoils,
		},
		{
			"a pool of 512 MiB alone", "hugepages",
			machine.Facts{
				THP: "madvise", THPBytes: 512 << 20,
				HugePages: []machine.HugePagePool{{PageBytes: 2 << 20}, {PageBytes: 512 << 20, Total: 3, Free: 3}},
			},
			nil,
			Spoils,
		},
		{"no huge pages at all", "hugepages", machine.Facts{}, nil, Spoils},
		{
			"unlimited", "memlock",
			machine.Facts{},
			files{"sys/class/infiniband/mlx5_0": "", "proc/self/limits": "Max locked memory unlimited unlimited bytes"},
			OK,
		},
		{
			"limited, no NIC", "memlock",
			machine.Facts{},
			files{"proc/self/limits": "Max locked memory 65536 65536 bytes"},
			OK,
		},
		{"no key in the firmware", "order", machine.Facts{}, files{"sys/class/net/p0/device/vendor": "0x15b3"}, OK},
		{
			"packets out of order, by file", "order",
			machine.Facts{},
			files{"etc/infiniband/mlx5.conf": "# all\nMLX5_RELAXED_PACKET_ORDERING_ON=\"all\""},
			Spoils,
		},
		{
			"packets out of order, by variable", "order",
			machine.Facts{},
			files{"proc/self/environ": "A=B\x00MLX5_RELAXED_PACKET_ORDERING_ON=mlx5_0\x00C=D"},
			Spoils,
		},
		{"irqbalance", "irqs", machine.Facts{}, files{"proc/612/comm": "irqbalance"}, Spoils},
		{"iptables", "firewall", machine.Facts{}, files{"proc/net/ip_tables_names": "nat\nfilter"}, Spoils},
		{
			"connection tracking without connections", "firewall",
			machine.Facts{},
			files{"proc/sys/net/netfilter/nf_conntrack_count": "0"},
			OK,
		},
	} {
		if got := named(examine(recorded(test.facts, test.files)), test.check); got.Verdict != test.want {
			t.Errorf("%s: %+v, want %s", test.name, got, test.want)
		}
	}
}

// TestCurrentValue reads the middle one of three values.
func TestCurrentValue(t *testing.T) {
	const out = `Configurations:                    Default             Current         Next Boot
        INTERNAL_CPU_MODEL          SEPARATED_HOST(0)   EMBEDDED_CPU(1) EMBEDDED_CPU(1)
*       PCI_WR_ORDERING             per_mkey(0)         force_relax(1)  per_mkey(0)
`
	for key, want := range map[string]string{orderKey: "force_relax(1)", "ADVANCED_PCI_SETTINGS": ""} {
		if got := currentValue(out, key); got != want {
			t.Errorf("%s: found %q, want %q", key, got, want)
		}
	}
}

func TestChains(t *testing.T) {
	const ruleset = `table inet filter {
	chain input {
		type filter hook input priority filter; policy accept;
	}
	chain helper {
	}
}
table ip nat {
	chain post {
		type nat hook postrouting priority srcnat; policy accept;
	}
	chain input {
		type filter hook input priority 10; policy accept;
	}
	comment "a hook here" hook
}
`
	if got := fmt.Sprint(hookedChains(ruleset)); got != "[input postrouting]" {
		t.Errorf("hooks %s", got)
	}
	p := recorded(machine.Facts{}, nil)
	p.chains = func() (string, error) { return ruleset, nil }
	if f := firewall(p); f.Verdict != Spoils || !strings.Contains(f.Found, "input, postrouting") {
		t.Errorf("%+v", f)
	}
}

func FuzzChains(f *testing.F) {
	f.Add("chain input { type filter hook input priority filter; policy accept; }")
	f.Add("\ttype filter hook")
	f.Fuzz(func(t *testing.T, ruleset string) {
		for _, hook := range hookedChains(ruleset) {
			if hook == "" || !strings.Contains(ruleset, hook) {
				t.Errorf("hook %q", hook)
			}
		}
	})
}

// TestThisMachine examines the real machine: every check has a verdict on any machine.
func TestThisMachine(t *testing.T) {
	facts := machine.Read()
	for _, f := range Examine(&facts) {
		if f.Found == "" || f.Verdict == Spoils && f.Effect == "" {
			t.Errorf("%+v", f)
		}
	}
}

func named(findings []Finding, check string) Finding {
	i := slices.IndexFunc(findings, func(f Finding) bool { return f.Check == check })
	return findings[i]
}
