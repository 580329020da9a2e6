package port

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// Ports of this range the kernel gives to nobody who asks for any (net.ipv4.ip_local_port_range, as most machines have it). Of its own it gives
// one away whenever a test beside this one listens or connects: what was free a moment ago may be taken when the server gets to it.
const (
	lowest = 12_000
	ports  = 18_000
	each   = 24 // of a process, before it comes to those of the next
)

var asked atomic.Uint32

// Free is a TCP port that nobody listens on, and that nobody else is told: not in this process, nor in a test's that runs beside it.
func Free() (int, error) {
	for range ports {
		port := lowest + (os.Getpid()*each+int(asked.Add(1)))%ports
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("found no free port")
}
