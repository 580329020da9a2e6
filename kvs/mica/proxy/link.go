package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/internal/foreign"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
)

// Link is the application's end of a pair. It belongs to one goroutine.
type Link struct {
	lane   lane
	facts  mqueue.Facts
	device verbs.Device
	conn   net.Conn // the side channel
	client *Client
	ended  error
	closed bool
}

// Facts are those of the lane.
func (l *Link) Facts() mqueue.Facts { return l.facts }

// Send copies a batch into the lane. It returns false if no slot is free.
func (l *Link) Send(batch []byte) (bool, error) {
	slot := l.lane.Slot()
	switch {
	case slot == nil:
		return false, nil
	case len(batch) > len(slot):
		return false, fmt.Errorf("batch: found %d bytes, allowed through the proxy: %d",
			len(batch), len(slot))
	}
	copy(slot, batch)
	err := l.lane.Send(len(batch), 0)
	if err == nil && l.facts.Answers == mqueue.Written {
		_, err = l.lane.Poll() // posts it
	}
	if err != nil {
		return false, l.client.failed(err)
	}
	return true, nil
}

// Poll moves what it can without waiting. Next returns its error.
func (l *Link) Poll() error {
	if l.ended == nil {
		if _, err := l.lane.Poll(); err != nil {
			l.ended = l.client.failed(err)
		}
	}
	return nil
}

// Next returns the next answer.
func (l *Link) Next() (message []byte, ok bool, err error) {
	m, ok := l.lane.Receive()
	switch {
	case !ok:
		return nil, false, l.ended
	case m.Code == 0:
		return m.Bytes, true, nil
	case m.Code == CodeEnded:
		l.ended = l.client.failed(errors.New(foreign.Reason(m.Bytes)))
	default:
		l.ended = l.client.failed(fmt.Errorf("message: found code %d, allowed: 0, %d", m.Code,
			CodeEnded))
	}
	return nil, false, l.ended
}

// Wait lets others have the CPU, at most for d.
func (l *Link) Wait(d time.Duration) error { return l.device.Wait(d) }

// Close closes the lane.
func (l *Link) Close() error {
	if !l.closed {
		l.closed = true
		l.client.left()
	}
	err := l.lane.Close()
	_ = l.conn.Close() // the lane may have closed it
	return err
}
