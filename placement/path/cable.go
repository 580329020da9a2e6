package path

import (
	"context"
	"errors"
	"fmt"

	"dpukv/placement/emulate"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// cable is the virtual cable between the hosts in submode direct, by its counts at the server's
// interface.
type cable struct {
	nodes *testbed.Assignment
	lab   *emulate.Lab
	was   emulate.Counters
}

func (c *cable) begin(context.Context) (err error) {
	c.was, err = c.lab.Counters(c.nodes.Server.Name)
	return err
}

// end: the ends' packets must have crossed the server's end of the cable.
func (c *cable) end(_ context.Context, point *results.Point) error {
	ends := endsOf(point)
	is, err := c.lab.Counters(c.nodes.Server.Name)
	if err != nil {
		return err
	}
	came := submode.Count{
		Packets: is.RxPackets - c.was.RxPackets, Bytes: is.RxBytes - c.was.RxBytes,
	}
	left := submode.Count{
		Packets: is.TxPackets - c.was.TxPackets, Bytes: is.TxBytes - c.was.TxBytes,
	}
	point.Datapath, point.DatapathIs = "cable", "a virtual cable between the hosts, nothing on it"
	point.Evidence = map[string]uint64{
		"came/" + emulate.Uplink: came.Packets, "left/" + emulate.Uplink: left.Packets,
	}
	switch {
	case ends == nil && came.Packets == 0:
		return errors.New("submode direct: no packet came in at the server's interface")
	case ends == nil:
		return nil
	}
	point.Crossings, err = ends.Compare(submode.Gate{
		Name: emulate.Uplink + " of " + c.nodes.Server.Name, ToServer: came, ToClient: left,
		MTU: c.lab.Facts().MTU,
	})
	point.CarriedShare = submode.LeastShare(point.Crossings)
	if err != nil {
		err = fmt.Errorf("submode direct: not all went through the cable, or not only: %w", err)
	}
	return advise(c.nodes, err)
}
