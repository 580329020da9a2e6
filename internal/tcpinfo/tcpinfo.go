package tcpinfo

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"

	"dpukv/internal/packets"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Of returns the kernel's counters of the open TCP sockets of processes, in this network namespace.
// The kernel looks at every TCP socket of the namespace for it, once for all processes. The caller
// needs the right to inspect the processes: the same user, or root. A process that has ended has
// none; it is an error if all have.
func Of(pids ...int) ([]netlink.TCPInfo, error) {
	own := map[uint32]bool{}
	var failed error
	for _, pid := range pids {
		its, err := sockets(pid)
		if failed == nil {
			failed = err
		}
		maps.Copy(own, its)
	}
	if len(own) == 0 {
		return nil, failed
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

// Packets sums the counters of the open TCP sockets of processes. It is zero if the kernel does not
// tell.
func Packets(pids ...int) (sum packets.Counts) {
	list, err := Of(pids...)
	if err != nil {
		return sum
	}
	for i := range list {
		s := &list[i]
		sum.Add(&packets.Counts{
			Sources:     1,
			SentPackets: uint64(s.Segs_out), ReceivedPackets: uint64(s.Segs_in),
			SentDataPackets: uint64(s.Data_segs_out), ReceivedDataPackets: uint64(s.Data_segs_in),
			ResentPackets: uint64(s.Total_retrans), OutOfOrderPackets: uint64(s.Rcv_ooopack),
			SentBytes: s.Bytes_sent, AckedBytes: s.Bytes_acked, ResentBytes: s.Bytes_retrans,
			ReceivedBytes: s.Bytes_received,
		})
	}
	return sum
}

// Sockets is the number of a process's open sockets of any kind.
func Sockets(pid int) (int, error) {
	own, err := sockets(pid)
	return len(own), err
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
