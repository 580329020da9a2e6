package kvs

import "dpukv/internal/packets"

// Moved is the traffic of a client or a server on the machine's network: that of its TCP sockets,
// and that of its verbs device.
type Moved struct{ Sockets, Device packets.Counts }

// Add adds other traffic.
func (m *Moved) Add(o *Moved) {
	m.Sockets.Add(&o.Sockets)
	m.Device.Add(&o.Device)
}

// Since returns the difference from earlier counters.
func (m Moved) Since(was *Moved) Moved {
	return Moved{m.Sockets.Since(&was.Sockets), m.Device.Since(&was.Device)}
}
