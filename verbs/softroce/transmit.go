package softroce

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// patience is how often sending waits for room in a full queue, each time for fullQueueMs, until packets are
// lost to it.
const (
	patience    = 100
	fullQueueMs = 10
)

// send gives all trains to the kernel, with one call a socket if it takes them. A train that it refuses is lost, and the
// others still go out; the error is that of the first.
func (b *batch) send() error {
	var first error
	for from, waited := 0, 0; from < len(b.trains); {
		n, err := b.sendFrom(from, b.sameSocket(from))
		from += n
		if err == nil || err == unix.EINTR {
			continue
		}
		if (err == unix.EAGAIN || err == unix.ENOBUFS) && waited < patience {
			waited++
			b.trains[from].path.socket.waitWritable()
			continue
		}
		if err == unix.EIO && b.trains[from].count > 1 {
			// The way out cannot make checksums, so it cannot cut trains either.
			b.device.refuseGSO()
			err = b.sendSingly(from)
		} else {
			err = b.lost(from, err)
		}
		if first == nil {
			first = err
		}
		from++
	}
	return first
}

// sameSocket is the end of those trains from one on that leave by one socket.
func (b *batch) sameSocket(from int) int {
	to := from + 1
	for to < len(b.trains) && b.trains[to].path.socket == b.trains[from].path.socket {
		to++
	}
	return to
}

func (b *batch) sendFrom(from, to int) (int, error) {
	b.device.counters.add(txSyscalls, 1)
	if hook := b.device.hooks.sending; hook != nil {
		if err := hook(b.trains[from].count); err != nil {
			return 0, err
		}
	}
	return b.msgs.send(b.trains[from].path.socket.fd, from, to)
}

// lost counts a train that did not go out, and says why.
func (b *batch) lost(i int, err error) error {
	t := &b.trains[i]
	b.device.counters.add(txErrors, uint64(t.count))
	advice := ""
	if err == unix.EMSGSIZE {
		advice = fmt.Sprintf("; the way there has a smaller MTU than packets of %d bytes need: open both devices with one that fits",
			t.size)
	}
	return fmt.Errorf("send to %s: %w%s", netip.AddrFrom4(t.path.name.Addr), err, advice)
}

// sendSingly sends a train's packets one by one, with the ICRCs of packets on their own.
func (b *batch) sendSingly(i int) error {
	whole := b.trains[i]
	defer func() { b.trains[i] = whole }()
	var first error
	for from := whole.start; from < whole.end; from += whole.size {
		p := b.buf[from:min(from+whole.size, whole.end)]
		whole.path.flow.seal(p, 0)
		b.trains[i] = train{path: whole.path, start: from, end: from + len(p), size: len(p), count: 1}
		b.fill(i)
		_, err := b.sendFrom(i, i+1)
		for n := 0; err != nil && temporary(err) && n < patience; n++ {
			whole.path.socket.waitWritable()
			_, err = b.sendFrom(i, i+1)
		}
		if err != nil && first == nil {
			first = b.lost(i, err)
		}
	}
	return first
}

func temporary(err error) bool {
	return err == unix.EINTR || err == unix.EAGAIN || err == unix.ENOBUFS
}
