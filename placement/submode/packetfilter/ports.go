package packetfilter

import (
	"dpukv/kvs/herd"
	"dpukv/verbs"
)

// RoCEPort is the UDP port that all packets of RoCE v2 go to.
const RoCEPort = 4791

// SourcePort is the UDP port that the requests for a partition leave from.
func SourcePort(partition int) uint16 { return verbs.UDPSourcePort(herd.FlowLabel(partition)) }
