package tcpinfo

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Of returns the kernel's counters of a process's open TCP sockets, in this network namespace. The
// kernel looks at every TCP socket of the namespace for it. The caller needs the right to inspect
// the process: the same user, or root.
func Of(pid int) ([]netlink.TCPInfo, error) {
	own, err := sockets(pid)
	if err != nil || len(own) == 0 {
		return nil, err
	}
	var list []netlink.TCPInfo
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		all, err := netlink.SocketDiagTCPInfo(family)
		// An interrupted dump lacks a socket that was opened meanwhile.
		if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
			return nil, fmt.Errorf("ask the kernel for its TCP sockets: %w", err)
		}
		for _, s := range all {
			if s.InetDiagMsg == nil || s.TCPInfo == nil || !own[s.InetDiagMsg.INode] {
				continue
			}
			if s.TCPInfo.State != unix.BPF_TCP_LISTEN {
				list = append(list, *s.TCPInfo)
			}
		}
	}
	return list, nil
}

// sockets are the inode numbers of a process's sockets of any kind.
func sockets(pid int) (map[uint32]bool, error) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	own := map[uint32]bool{}
	for _, f := range files {
		link, err := os.Readlink(dir + "/" + f.Name())
		if err != nil {
			continue // closed meanwhile
		}
		text, ok := strings.CutPrefix(link, "socket:[")
		n, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 32)
		if ok && err == nil {
			own[uint32(n)] = true
		}
	}
	return own, nil
}
