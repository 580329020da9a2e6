package tcpinfo

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Holder names the process that listens on a port in this network namespace, such as
// "process 4711 (redis-server)". It is empty for a process that this user may not inspect.
func Holder(port uint16) string {
	pid := HolderPID(port)
	if pid == 0 {
		return ""
	}
	return fmt.Sprintf("process %d%s", pid, program(pid))
}

// HolderPID is the ID of the process that Holder names; 0: none.
func HolderPID(port uint16) int {
	listening := listeners(port)
	processes, err := os.ReadDir("/proc")
	if err != nil || len(listening) == 0 {
		return 0
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue // no process
		}
		own, err := sockets(pid)
		if err != nil {
			continue // of another user, or ended
		}
		for inode := range listening {
			if own[inode] {
				return pid
			}
		}
	}
	return 0
}

// listeners are the inode numbers of the sockets that listen on a port.
func listeners(port uint16) map[uint32]bool {
	found := map[uint32]bool{}
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		all, err := netlink.SocketDiagTCP(family)
		if err != nil {
			continue // a hint is worth no error
		}
		for _, s := range all {
			if s.State == unix.BPF_TCP_LISTEN && s.ID.SourcePort == port {
				found[s.INode] = true
			}
		}
	}
	return found
}

// program is the name of a process in brackets.
func program(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return " (" + strings.TrimSpace(string(name)) + ")"
}
