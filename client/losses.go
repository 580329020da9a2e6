package client

import (
	"fmt"

	"dpukv/results"
)

// losses are the doubts about a network that did not carry everything at the first try.
func losses(p *results.Point) []string {
	s := &p.ClientMovedWindow.Sockets
	return []string{
		s.ResentWarning("client", "in the window"),
		outOfOrder(s),
	}
}

// outOfOrder is what a client sees of the packets that the network lost on the way to it. It hears
// of none that is sent again before the next one leaves, which only the server knows.
func outOfOrder(s *results.Packets) string {
	share, over := s.Over(s.OutOfOrderPackets, s.ReceivedDataPackets)
	if !over {
		return ""
	}
	return fmt.Sprintf("the network lost packets of the server, or let some overtake others: "+
		"%d of %d that the client received in the window (%.2g %%; %.2g %% is the limit) came before one "+
		"that was sent earlier: look for drops and errors on the way (ip -s link, ethtool -S)",
		s.OutOfOrderPackets, s.ReceivedDataPackets, 100*share, 100*results.LostShare)
}
