package packetfilter

import (
	"dpukv/kvs/herd"
	"dpukv/verbs"
)

// SourcePort is the UDP port that the requests for a partition leave from.
func SourcePort(partition int) uint16 { return verbs.UDPSourcePort(herd.FlowLabel(partition)) }
