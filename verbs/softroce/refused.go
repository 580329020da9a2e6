package softroce

import (
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// deviceError tells whether an error of a socket call is of the device itself: nothing more will come
// or go. All other errors are of one destination, or of one moment.
func deviceError(err error) bool {
	switch err {
	case unix.EBADF, unix.ENOTSOCK, unix.EFAULT, unix.EOPNOTSUPP, unix.ENOSYS, unix.EPIPE:
		return true
	}
	return false
}

// refusals are the reasons for which the kernel does not send a packet.
var refusals = [...]struct {
	counter counter
	event   string // its kind
	advice  string
}{
	{txTooLong, "packets were too long for the way to a peer", "the way there has a smaller MTU than " +
		"packets of %d bytes need: open both devices with one that fits"},
	{txUnreachable, "a peer could not be reached", "look at the route there and at the link"},
	{txForbidden, "packets to a peer were forbidden", "a firewall forbids them, or the address is a broadcast's"},
	{txNoRoom, "packets were lost to a full send queue", "the link is slower than what is sent, or holds it back"},
	{txFailed, "packets could not be sent", ""},
}

// refusal is the index of an error's reason. packets is how many the refused train had.
func refusal(err error, packets int) int {
	switch err {
	case unix.EMSGSIZE:
		return 0
	case unix.EINVAL: // kernels before 6.14 say so of a train of packets that are too long
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

// tellAgainAfter is when the same reason is an event again. A peer that cannot be reached would
// otherwise push all other events out.
const tellAgainAfter = 10 * time.Second

// refusalsTold is when each reason was an event last: see [cpu.NowNs].
type refusalsTold [len(refusals)]atomic.Int64

// lost counts a train that the kernel refused, and tells the reason once in a while.
func (b *batch) lost(i int, err error) {
	t, d := &b.trains[i], b.device
	why := refusal(err, t.count)
	d.counters.add(txErrors, uint64(t.count))
	d.counters.add(refusals[why].counter, uint64(t.count))
	told, now := &d.refusalsTold[why], cpu.NowNs()
	last := told.Load()
	if last != 0 && now-last < int64(tellAgainAfter) || !told.CompareAndSwap(last, now) {
		return
	}
	d.events.Add(verbs.Event{Kind: refusals[why].event, Err: t.refusedError(why, err), Serious: true})
}

func (t *train) refusedError(why int, err error) error {
	advice := refusals[why].advice
	if refusals[why].counter == txTooLong {
		advice = fmt.Sprintf(advice, t.size)
	}
	if advice != "" {
		advice = "; " + advice
	}
	return fmt.Errorf("send to %s: %w%s", netip.AddrFrom4(t.path.name.Addr), err, advice)
}

// deviceLost counts all trains from one on as lost to an error of the device.
func (b *batch) deviceLost(from int, err error) error {
	for i := range b.trains[from:] {
		b.device.counters.add(txErrors, uint64(b.trains[from+i].count))
	}
	return fmt.Errorf("send from %s: %w", b.device.local, err)
}
