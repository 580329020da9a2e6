// Package nasty wraps a device so that its WRITEs and READs take effect in every order that a model
// of NICs permits. It is an instrument: it finds code that relies on an order which its device does
// not promise. Its times mean nothing.
//
//	shm:nasty=pcie,seed=7                      the name of such a device
//	softroce:10.0.0.1,nasty=last-word,late=0
//
// # Models
//
//	ordered    a message takes effect as a whole
//	last-word  words of 8 bytes in any order, the last word of a WRITE last: a NIC as most are
//	pcie       lines of 64 bytes in any order, each as a whole: a NIC with relaxed ordering
//	ibta       bytes in any order: what the specification of InfiniBand promises
//
// Messages of a queue pair take effect one after the other. In ibta, and with window=N, the pieces
// of up to N WRITEs in a row mix. Any other message waits for them, and all complete in order.
//
// # Keys
//
//	seed=N    of the draws. It repeats the order of pieces, not that of goroutines
//	window=N  WRITEs whose pieces mix: 1, with ibta 4
//	late=0    payload is read when it is posted. Else it is read when its piece takes effect,
//	          except for inline payload. A NIC may do so until the WRITE completes
//	rare=N    only one message in N is cut
//	inline=N  the port takes at most N bytes inline; -1: none
//
// # Time
//
// Pieces take effect while the caller posts and looks for progress, and on a pump of the device's
// own, as a NIC's do. A queue pair often pauses between two pieces, so that its peer can look. The
// pump ends each pause. With Config.Manual only [Device.Step] and [Device.Turn] move pieces, so a
// test can try every order and repeat it.
//
// Datagrams pass unchanged. The device beneath checks each piece by itself: of an illegal WRITE,
// the legal pieces may take effect. The device beneath should be software: a NIC would keep the
// pieces in its send queue until a completion.
package nasty
