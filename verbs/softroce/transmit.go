package softroce

import "golang.org/x/sys/unix"

const (
	// patience is how often a batch waits for room in a full queue, each time for fullQueueMs, until
	// packets are lost to it.
	patience    = 100
	fullQueueMs = 10
)

// send gives all trains to the kernel, with one call a socket if it takes them. A train that the
// kernel refuses is lost, as on a wire, and the others still go out. Only an error of the device
// itself ends the batch.
func (b *batch) send() error {
	b.waits = 0
	for from := 0; from < len(b.trains); {
		n, err := b.sendFrom(from, b.sameSocket(from))
		from += n
		if err == nil || b.worthAnotherTry(from, err) {
			continue
		}
		if deviceError(err) {
			return b.deviceLost(from, err)
		}
		if err == unix.EIO && b.trains[from].count > 1 {
			// The way out cannot make checksums, so it cannot cut trains either.
			b.device.refuseGSO(b.trains[from].path)
			if err := b.sendSingly(from); err != nil {
				return err
			}
		} else {
			b.lost(from, err)
		}
		from++
	}
	return nil
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
	if b.device.hooks.sending != nil {
		var err error
		if to, err = b.hooked(from, to); err != nil {
			return 0, err
		}
	}
	return b.msgs.send(b.trains[from].path.socket.fd, from, to)
}

// hooked is how far a test lets trains go out. As of the kernel, an error is heard of the first only.
func (b *batch) hooked(from, to int) (int, error) {
	for i := from; i < to; i++ {
		if err := b.device.hooks.sending(b.trains[i].path, b.trains[i].count); err != nil && i > from {
			return i, nil
		} else if err != nil {
			return from, err
		}
	}
	return to, nil
}

// worthAnotherTry tells whether an error may pass, after a wait for that. All trains of a batch
// share the patience.
func (b *batch) worthAnotherTry(i int, err error) bool {
	switch err {
	case unix.EINTR:
		return true
	case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
		if b.waits++; b.waits > patience {
			return false
		}
		if err != unix.EAGAIN { // for which the call itself has waited
			b.trains[i].path.socket.waitWritable()
		}
		return true
	}
	return false
}

// sendSingly sends a train's packets one by one, with the ICRCs of packets on their own.
func (b *batch) sendSingly(i int) error {
	whole := b.trains[i]
	defer func() { b.trains[i] = whole }()
	for from := whole.start; from < whole.end; from += whole.size {
		p := b.buf[from:min(from+whole.size, whole.end)]
		whole.path.flow.seal(p, 0)
		b.trains[i] = train{path: whole.path, start: from, end: from + len(p), size: len(p), count: 1}
		b.fill(i)
		_, err := b.sendFrom(i, i+1)
		for err != nil && b.worthAnotherTry(i, err) {
			_, err = b.sendFrom(i, i+1)
		}
		if deviceError(err) {
			return b.deviceLost(i, err)
		}
		if err != nil {
			b.lost(i, err)
		}
	}
	return nil
}
