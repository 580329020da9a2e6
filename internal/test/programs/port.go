package programs

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// The range of ports below those that the kernel chooses itself (net.ipv4.ip_local_port_range, with
// the usual setting). The kernel hands out a port of its own range whenever another test listens or
// connects. A port that was free a moment ago may then be taken before the server uses it.
const (
	lowest = 12_000
	ports  = 18_000
	each   = 24 // of a process, before it comes to those of the next
)

var asked atomic.Uint32

// FreePort is a TCP port without a listener. No other caller gets it, in this process or in that of
// a parallel test.
func FreePort() (int, error) {
	for range ports {
		port := lowest + (os.Getpid()*each+int(asked.Add(1)))%ports
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("found no free port")
}
