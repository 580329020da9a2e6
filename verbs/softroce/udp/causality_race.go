//go:build race

package udp

import "sync/atomic"

// The race detector does not see that a packet is received after it was sent. So within one process
// it misses that one end's actions before a send come before the other end's actions after the
// receive. These functions tell it.
var causality atomic.Uint64

func packetsLeave()   { causality.Add(1) }
func packetsArrived() { causality.Load() }
