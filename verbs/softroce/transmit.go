package softroce

import (
	"time"

	"dpukv/internal/cpu"

	"golang.org/x/sys/unix"
)

const (
	// patience is how long a batch waits for room in a queue that stays full, until packets are
	// lost to it.
	patience = 200 * time.Millisecond
	// fullQueueMs is when the queue is looked at again at the latest.
	fullQueueMs = 10
)

// send gives all trains to the kernel, with one call a socket if it takes them. A train that the
// kernel refuses is lost, as on a wire, and the others still go out. Only an error of the device
// itself ends the batch.
func (b *batch) send() error {
	b.fullSince = 0
	for from := 0; from < len(b.trains); {
		n, err := b.sendFrom(from, b.sameSocket(from))
		if from += n; n > 0 {
			b.hadRoom()
		}
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

// worthAnotherTry tells whether an error may pass, after a wait for that.
func (b *batch) worthAnotherTry(i int, err error) bool {
	switch err {
	case unix.EINTR:
		return true
	case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
		return b.awaitRoom(b.trains[i].path.socket, err)
	}
	return false
}

// awaitRoom waits for a moment, unless the patience is at its end. A queue that stayed full once is
// not waited for again until something has found room in it: peers at which nobody answers can fill
// it, and are not to hold up everybody's next list too.
func (b *batch) awaitRoom(s *socket, err error) bool {
	now := cpu.NowNs()
	switch {
	case b.fullSince == 0 && b.device.stuck.Load():
		return false
	case b.fullSince == 0:
		b.fullSince = now
	case now-b.fullSince > int64(patience):
		b.device.stuck.Store(true)
		return false
	}
	if err == unix.EAGAIN {
		s.waitWritable()
	} else {
		time.Sleep(time.Millisecond) // it is not the socket's queue that is full
	}
	return true
}

// hadRoom notes that the queue took something.
func (b *batch) hadRoom() {
	b.fullSince = 0
	if b.device.stuck.Load() {
		b.device.stuck.Store(false)
	}
}

// sendSingly sends a train's packets one by one, with the ICRCs of packets on their own.
func (b *batch) sendSingly(i int) error {
	whole := b.trains[i]
	defer func() { b.trains[i] = whole }()
	for from := whole.start; from < whole.end; from += whole.size {
		p := b.buf[from:min(from+whole.size, whole.end)]
		whole.path.flow.Seal(p, 0)
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
		} else {
			b.hadRoom()
		}
	}
	return nil
}
