package installed

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/internal/machine"

	"golang.org/x/sys/unix"
)

// PinnedTo lists the CPUs that the server at addr may use. It returns none if the server may use
// all CPUs, is not the process pid of this machine, or cannot be examined from here.
func PinnedTo(addr string, pid int, program string) []int {
	if pid <= 0 || !machine.Owns(addr) {
		return nil
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || !strings.HasPrefix(string(name), program) {
		return nil // the pid belongs to another namespace
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		return nil
	}
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil
	}
	online, err := cpu.ParseList(strings.TrimSpace(string(text)))
	if err != nil {
		return nil
	}
	pinned := slices.DeleteFunc(slices.Clone(online), func(c int) bool { return !set.IsSet(c) })
	if len(pinned) == len(online) {
		return nil
	}
	return pinned
}
