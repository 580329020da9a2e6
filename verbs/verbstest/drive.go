package verbstest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// attempts is the number of attempts at a case of an unreliable service.
const attempts = 5

// limits are the limits of a device.
type limits struct {
	Device         verbs.DeviceInfo
	MTU, MaxInline int
}

// swapLimits determines the limits of both devices together.
func swapLimits(dev verbs.Device, ch *sidechannel.Channel) (both limits, err error) {
	port, err := dev.Port()
	if err != nil {
		return both, err
	}
	mine := limits{dev.Info(), port.MTU, port.MaxInline}
	theirs, err := sidechannel.Swap(ch, mine)
	theirs.MTU, theirs.MaxInline = min(mine.MTU, theirs.MTU), min(mine.MaxInline, theirs.MaxInline)
	return theirs, err
}

// Drive runs every case against a peer that runs [Serve], each as a subtest.
func Drive(t *testing.T, dev verbs.Device, conn net.Conn) {
	driveSome(t, dev, conn, func(testCase) bool { return true })
}

// driveWhole leaves out what a device can't do that cuts messages: it checks each piece by itself,
// and takes long for many.
func driveWhole(t *testing.T, dev verbs.Device, conn net.Conn) {
	const mostBytes = 16 << 10
	driveSome(t, dev, conn, func(c testCase) bool {
		return c.Fault == noFault && c.Size <= mostBytes
	})
}

func driveSome(t *testing.T, dev verbs.Device, conn net.Conn, some func(testCase) bool) {
	ch := sidechannel.New(conn)
	both := must.Get(swapLimits(dev, ch))(t)
	t.Logf("%+v against %+v", dev.Info(), both.Device)
	for i, c := range cases(both.MTU, both.MaxInline) {
		if !some(c) {
			continue
		}
		c.Seed = uint32(i * attempts)
		t.Run(c.String(), func(t *testing.T) { drive(t, dev, ch, c) })
	}
}

func drive(t *testing.T, dev verbs.Device, ch *sidechannel.Channel, c testCase) {
	for range attempts {
		must.Do(t, ch.Send(c))
		lost := must.Get(play(dev, ch, c, !c.FromPeer))(t)
		if !lost {
			return
		}
		if c.Type == verbs.RC {
			t.Fatal("a reliable service lost a message")
		}
		t.Log("lost; once more")
		c.Seed++
	}
	t.Fatalf("lost %d times", attempts)
}

// Serve is the peer of [Drive]. It runs until Drive closes the connection. Its error names every
// failed case.
func Serve(dev verbs.Device, conn net.Conn) (failed error) {
	ch := sidechannel.New(conn)
	if _, err := swapLimits(dev, ch); err != nil {
		return err
	}
	for {
		var c testCase
		if err := ch.Receive(&c); errors.Is(err, io.EOF) {
			return failed
		} else if err != nil {
			return errors.Join(failed, err)
		}
		if _, err := play(dev, ch, c, c.FromPeer); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", c, err))
		}
	}
}
