package installed

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"dpukv/internal/cpu"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// Threads lists the threads of the server at an endpoint, with their CPU time. It returns none if
// the server is not the process pid of this machine.
func Threads(e *kvs.Endpoint, pid int, program string) []cpu.Thread {
	if !visible(e, pid, program) {
		return nil
	}
	list, err := cpu.ThreadsOf(pid)
	if err != nil {
		return nil // it has ended
	}
	return list
}

// visible reports whether the server at an endpoint is the process pid of this machine.
func visible(e *kvs.Endpoint, pid int, program string) bool {
	if pid <= 0 || !e.Here() {
		return false
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.HasPrefix(string(name), program) // else of another namespace
}

// PinnedTo lists the CPUs that the server at an endpoint may use. It returns none if the server may
// use all CPUs, is not the process pid of this machine, or cannot be examined from here.
func PinnedTo(e *kvs.Endpoint, pid int, program string) []int {
	if !visible(e, pid, program) {
		return nil
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
