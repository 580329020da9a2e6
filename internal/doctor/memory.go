package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func numa(p *patient) Finding {
	switch p.read("proc/sys/kernel/numa_balancing") {
	case "", "0":
		return ok("no balancing")
	}
	if p.facts.NUMANodes < 2 {
		return ok("one memory node")
	}
	return spoils(fmt.Sprintf("the kernel balances pages between %d nodes", p.facts.NUMANodes),
		"it takes pages away to see who uses them, and moves them, during the measurement",
		"sudo sysctl kernel.numa_balancing=0")
}

// Capabilities, as bits of CapEff.
const (
	capNetAdmin = 12
	capIPCLock  = 14
)

// capable reports whether this process has a capability.
func (p *patient) capable(bit int) bool {
	text, _ := p.field("proc/self/status", "CapEff:")
	set, err := strconv.ParseUint(text, 16, 64)
	return err == nil && set>>bit&1 == 1
}

// enoughLocked is room for a large store and its request slots.
const enoughLocked = 16 << 30

func memlock(p *patient) Finding {
	rest, found := p.field("proc/self/limits", "Max locked memory")
	limit, _, _ := strings.Cut(rest, " ")
	bytes, err := strconv.ParseUint(limit, 10, 64)
	switch {
	case !found || err != nil && limit != "unlimited":
		return unknown("/proc/self/limits does not tell")
	case len(p.glob("sys/class/infiniband/*")) == 0:
		return ok(readable(limit, bytes) + "; no RDMA NIC that would need it")
	case limit == "unlimited" || bytes >= enoughLocked:
		return ok(readable(limit, bytes))
	case p.capable(capIPCLock):
		return ok(readable(limit, bytes) + ", which does not bind this user (CAP_IPC_LOCK)")
	}
	return spoils(readable(limit, bytes),
		"memory for an RDMA NIC cannot be registered: HERD does not start",
		"sudo prlimit --memlock=unlimited --pid $$   # this shell; for good: memlock in "+
			"/etc/security/limits.conf")
}

func readable(limit string, bytes uint64) string {
	if limit == "unlimited" {
		return limit
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

const (
	// softroceBuffer is the buffer size that verbs/softroce requests.
	softroceBuffer = 16 << 20
	// leastTCPBuffer is above a window's worth of batches on a fast link: 100 Gb/s times 80 µs.
	leastTCPBuffer = 1 << 20
)

// bufferLimits are kernel settings whose last number is a limit in bytes.
var bufferLimits = []struct {
	name  string
	least int
	force bool // CAP_NET_ADMIN goes beyond
}{
	{"net.core.rmem_max", softroceBuffer, true},
	{"net.core.wmem_max", softroceBuffer, true},
	{"net.ipv4.tcp_rmem", leastTCPBuffer, false},
	{"net.ipv4.tcp_wmem", leastTCPBuffer, false},
}

func sockets(p *patient) Finding {
	var seen, small, mend []string
	for _, limit := range bufferLimits {
		fields := strings.Fields(p.read("proc/sys/" + strings.ReplaceAll(limit.name, ".", "/")))
		if len(fields) == 0 {
			continue // a network namespace of an older kernel hides the first two
		}
		last := len(fields) - 1
		bytes, err := strconv.Atoi(fields[last])
		seen = append(seen, fmt.Sprintf("%s %s", limit.name, fields[last]))
		if err != nil || bytes >= limit.least || limit.force && p.capable(capNetAdmin) {
			continue
		}
		small = append(small, fmt.Sprintf("%s %d", limit.name, bytes))
		want := append(slices.Clone(fields[:last]), strconv.Itoa(limit.least))
		mend = append(mend, fmt.Sprintf("sudo sysctl -w %s='%s'", limit.name,
			strings.Join(want, " ")))
	}
	switch {
	case seen == nil:
		return unknown("the kernel does not tell the limits of socket buffers here")
	case small == nil:
		return ok(strings.Join(seen, ", "))
	}
	return spoils(strings.Join(small, ", "),
		"bursts overflow the buffers: softroce loses packets, TCP stalls", mend...)
}
