package herd

import (
	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// The devices' providers, as [kvs.Facts] names them.
const (
	providerSHM      = "shm"
	providerSoftRoCE = "softroce"
	providerIBVerbs  = "ibverbs"
)

// DefaultDevice is for both ends on one machine.
const DefaultDevice = providerSHM

// opener opens a device. Tests have others.
type opener func(name string, opts *provider.Options) (verbs.Device, error)

func openDevice(name string, opts *provider.Options) (verbs.Device, error) {
	if opts == nil {
		opts = &provider.Defaults
	}
	return provider.Open(name, *opts)
}

// inlineLimit is what a queue pair takes inline of requests or answers of at most n bytes.
func inlineLimit(port *verbs.Port, n int) int { return min(port.MaxInline, n) }

// ibWord is the unit of InfiniBand's counters of bytes.
const ibWord = 4

// devicePackets are a device's counts of packets, as far as it has any: shm sends none.
func devicePackets(d verbs.Device) kvs.Packets {
	c := d.Counters()
	switch d.Info().Provider {
	case providerSoftRoCE:
		return kvs.Packets{
			Sources:     1,
			SentPackets: c["tx_packets"], SentBytes: c["tx_bytes"],
			ReceivedPackets: c["rx_packets"], ReceivedBytes: c["rx_bytes"],
			ResentPackets: c["retransmitted"],
		}
	case providerIBVerbs:
		return portPackets(c)
	}
	return kvs.Packets{}
}

// portPackets are those of a NIC's port, by the names of Linux' ABI, or else by those of rxe, which
// counts no bytes.
func portPackets(c map[string]uint64) kvs.Packets {
	p := kvs.Packets{
		Shared:      true,
		SentPackets: c["port_xmit_packets"], SentBytes: ibWord * c["port_xmit_data"],
		ReceivedPackets: c["port_rcv_packets"], ReceivedBytes: ibWord * c["port_rcv_data"],
	}
	if p.SentPackets == 0 && p.ReceivedPackets == 0 {
		p.SentPackets, p.ReceivedPackets = c["sent_pkts"], c["rcvd_pkts"]
	}
	if p.SentPackets > 0 || p.ReceivedPackets > 0 {
		p.Sources = 1
	}
	return p
}
