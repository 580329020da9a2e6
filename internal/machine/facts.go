package machine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
	"dpukv/internal/redact"
)

// Facts are the facts of one machine at one moment. Empty means unknown.
type Facts struct {
	ReadAt   time.Time `json:"read_at"`
	Hostname string    `json:"hostname,omitempty"`
	// Identity tells this machine from others, over boots: a hash of its name, its machine ID and
	// its processor.
	Identity string `json:"identity,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
	Arch     string `json:"arch,omitempty"`

	// OS is the name of the system that this process sees; in a container, that of the container.
	OS string `json:"os,omitempty"`
	// KernelCommandLine has a mark in the place of each secret: see package redact.
	KernelCommandLine string `json:"kernel_command_line,omitempty"`

	CPUModel string `json:"cpu_model,omitempty"`
	// of an x86 processor; several: joined by a comma
	Microcode string `json:"microcode,omitempty"`
	// Mitigations are the kernel's words on each vulnerability of the processor.
	Mitigations map[string]string `json:"mitigations,omitempty"`

	CPUs        int   `json:"cpus,omitempty"`         // online
	AllowedCPUs []int `json:"allowed_cpus,omitempty"` // the CPUs that this process may use
	// of frequency scaling; several: joined by a comma
	Governor    string `json:"governor,omitempty"`
	NUMANodes   int    `json:"numa_nodes,omitempty"`
	Clocksource string `json:"clocksource,omitempty"`

	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	PageBytes   int64 `json:"page_bytes,omitempty"` // of base pages
	// transparent hugepages: "always", "madvise", "never"
	THP string `json:"thp,omitempty"`
	// the size of transparent hugepages, which is 512 MiB where base pages have 64 KiB
	THPBytes int64 `json:"thp_bytes,omitempty"`
	// when the kernel compacts memory for them
	THPDefrag string         `json:"thp_defrag,omitempty"`
	HugePages []HugePagePool `json:"hugepages,omitempty"`

	LoadAverage []float64 `json:"load_average,omitempty"` // over 1, 5 and 15 minutes
	Cgroup      string    `json:"cgroup,omitempty"`       // "v1", "v2"
	// QuotaCPUs is the CPU time that the control groups allow, in CPUs. 0 means no known limit.
	QuotaCPUs float64 `json:"quota_cpus,omitempty"`

	Product string `json:"product,omitempty"` // the machine's name in the firmware
	// a hint: "hypervisor", "container", or both
	Virtualization string `json:"virtualization,omitempty"`
	// Emulator is set if instructions are translated, as by qemu-user: "arm64 on x86_64". No time
	// measured there is meaningful.
	Emulator string `json:"emulator,omitempty"`

	GoVersion string `json:"go_version,omitempty"`
	// GoArchLevel is the instruction set that the binary was built for, in the terms of GOAMD64 or
	// GOARM64.
	GoArchLevel string `json:"go_arch_level,omitempty"`
}

// HugePagePool is the pool of preallocated pages of one size.
type HugePagePool struct {
	PageBytes int64 `json:"page_bytes"`
	Total     int   `json:"total"`
	Free      int   `json:"free"`
}

// Read reads the facts of the machine this process runs on.
func Read() Facts {
	facts := read("/")
	facts.ReadAt = time.Now().UTC()
	facts.AllowedCPUs, _ = cpu.Allowed()
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		facts.Hostname = unix.ByteSliceToString(u.Nodename[:])
		facts.Kernel = unix.ByteSliceToString(u.Release[:])
		facts.Arch = unix.ByteSliceToString(u.Machine[:])
	}
	facts.Identity = identity("/", facts.Hostname, facts.CPUModel)
	facts.Emulator, facts.PageBytes = Emulator(), int64(os.Getpagesize())
	facts.GoVersion, facts.GoArchLevel = runtime.Version(), goArchLevel()
	return facts
}

// read reads the facts from files below fs.
func read(fs root) Facts {
	facts := Facts{
		OS:                osName(fs),
		KernelCommandLine: redact.Line(fs.read("proc/cmdline")),

		CPUModel:    cpuModel(fs),
		Microcode:   microcode(fs),
		Mitigations: mitigations(fs),
		CPUs:        countCPUs(fs),
		Governor:    governor(fs),
		NUMANodes:   len(fs.glob("sys/devices/system/node/node[0-9]*")),
		Clocksource: fs.read("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		MemoryBytes: memoryBytes(fs),
		THP:         chosen(fs.read("sys/kernel/mm/transparent_hugepage/enabled")),
		THPDefrag:   chosen(fs.read("sys/kernel/mm/transparent_hugepage/defrag")),
		THPBytes:    thpBytes(fs),
		HugePages:   hugePages(fs),
		LoadAverage: loadAverage(fs),
		Product:     fs.read("sys/class/dmi/id/product_name"),

		Virtualization: virtualization(fs),
	}
	facts.Cgroup, facts.QuotaCPUs = cgroup(fs)
	return facts
}

// loadAverage is the load of the machine before the measurement.
func loadAverage(fs root) []float64 {
	fields := strings.Fields(fs.read("proc/loadavg"))
	if len(fields) < 3 {
		return nil
	}
	loads := make([]float64, 3)
	for i := range loads {
		var err error
		if loads[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
			return nil
		}
	}
	return loads
}

// BootID names this boot of this kernel. Processes with the same ID run on one machine. Empty means
// unknown.
func BootID() string { return root("/").read("proc/sys/kernel/random/boot_id") }

// Arch is the machine's architecture by uname; empty means unknown.
func Arch() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Machine[:])
}
