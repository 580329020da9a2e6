package softroce

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// refusals are the reasons why the kernel does not send a packet.
var refusals = [...]struct {
	counter counter
	event   string // its kind
	advice  string
}{
	{
		txTooLong, "packets were too long for the path to a peer",
		"the path has a smaller MTU than packets of %d bytes need: open both devices with one " +
			"that fits",
	},
	{txUnreachable, "a peer could not be reached", "check the route there and the link"},
	{
		txForbidden, "packets to a peer were forbidden",
		"a firewall forbids them, or the address is a broadcast's",
	},
	{
		txNoRoom, "packets were lost to a full send queue",
		"the link is slower than the load, or holds it back",
	},
	{txFailed, "packets could not be sent", ""},
}

// refusal returns the index of an error's reason. packets is the number of packets in the refused
// train.
func refusal(err error, packets int) int {
	switch err {
	case unix.EMSGSIZE:
		return 0
	case unix.EINVAL: // kernels before 6.14 report this for a train of too long packets
		if packets > 1 {
			return 0
		}
	case unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ENETDOWN, unix.EHOSTDOWN, unix.ECONNREFUSED:
		return 1
	case unix.EACCES, unix.EPERM:
		return 2
	case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
		return 3
	}
	return 4
}

// refusalEventInterval is the time after which the same reason makes another event. Otherwise an
// unreachable peer would displace all other events.
const refusalEventInterval = 10 * time.Second

// refusalTimes are the times of each reason's last event: see [cpu.NowNs].
type refusalTimes [len(refusals)]atomic.Int64
