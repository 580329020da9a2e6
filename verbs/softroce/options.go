package softroce

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"dpukv/verbs"
)

// Options configure a device. Only Addr has no default.
type Options struct {
	// Addr is the local IPv4 address. It is the device's GID, and the device listens on its UDP
	// port 4791.
	Addr netip.Addr
	// MTU is the path MTU in bytes: 256, 512, 1024, 2048 or 4096. 0: the largest that fits the MTU
	// of Addr's interface.
	MTU int
	// SocketBuffers is the requested size of each socket buffer in bytes. 0: 16 MiB. Without
	// CAP_NET_ADMIN the kernel grants at most net.core.rmem_max and wmem_max.
	SocketBuffers int

	// AckTimeout is how long RC waits for an acknowledgement before its first retry. It doubles
	// with each retry. 0: 20 ms.
	AckTimeout time.Duration
	// RetryCount is the number of retries without an answer before the QP fails. 0: 7, the maximum
	// of verbs. With the default timeout that is 5 s of silence.
	RetryCount int
	// RNRRetryCount is the number of "receiver not ready" answers in a row that RC accepts. 0 or 7:
	// unlimited.
	RNRRetryCount int

	hooks hooks
}

// hooks are for tests.
type hooks struct {
	// received stands between the socket and the device. It can deliver a packet, drop it, repeat
	// it, delay it, or deliver another one. The holder of the receive side calls it.
	received func(packet []byte, deliver func([]byte))
	// sent sees each packet with its IP ID.
	sent func(to *path, ipID uint16, packet []byte)
	// sending may fail in the kernel's place to send a train of count packets; receiving may fail
	// to receive.
	sending   func(to *path, count int) error
	receiving func() error
	// checkNIC stands in for the check of the address's NIC.
	checkNIC func(sys string, addr netip.Addr) error
	// noGSO and noGRO emulate a kernel without segmentation or coalescing.
	noGSO, noGRO bool
}

const (
	defaultSocketBuffers = 16 << 20
	defaultAckTimeout    = 20 * time.Millisecond
	defaultRetryCount    = 7
	infiniteRNRRetries   = 7
)

func (o *Options) complete() error {
	if !o.Addr.Unmap().Is4() || o.Addr.IsUnspecified() {
		return fmt.Errorf("software RoCE on address %v: %w: use an IPv4 address of this machine",
			o.Addr, verbs.ErrNotSupported)
	}
	o.Addr = o.Addr.Unmap()
	if o.MTU == 0 {
		mtu, err := pathMTU(o.Addr)
		if err != nil {
			return err
		}
		o.MTU = mtu
	}
	if err := checkMTU(o.MTU); err != nil {
		return err
	}
	if o.SocketBuffers < 0 || o.AckTimeout < 0 || o.RetryCount < 0 || o.RNRRetryCount < 0 {
		return fmt.Errorf("options: found socket buffers %d, ACK timeout %v, retries %d and %d, "+
			"allowed: 0 or more",
			o.SocketBuffers, o.AckTimeout, o.RetryCount, o.RNRRetryCount)
	}
	o.SocketBuffers = cmp.Or(o.SocketBuffers, defaultSocketBuffers)
	o.AckTimeout = cmp.Or(o.AckTimeout, defaultAckTimeout)
	o.RetryCount = cmp.Or(o.RetryCount, defaultRetryCount)
	o.RNRRetryCount = cmp.Or(o.RNRRetryCount, infiniteRNRRetries)
	return nil
}
