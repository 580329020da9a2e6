// Package testbed reads testbed files: the nodes, and the nodes that each placement uses.
//
// A [Placement] ("CH-SH") gives the client's and the server's role to nodes:
//
//	placement  clients                       server
//	CH-SH      host of the client side       host of the server side
//	CD-SH      DPU of the client side        host of the server side
//	CDH-SH     both of the client side       host of the server side
//	CH-SD      host of the client side       DPU of the server side
//	CD-SD      DPU of the client side        DPU of the server side
//	L-CD-SH    the DPU in the server's host  host of the server side
//
// The server, the client or both may be in halves. The halves on DPUs use the card in the host of
// the other half. A sweep gets these placements only by name:
//
//	placement    client               proxy     server: engine       store half
//	CH-ED-SH     host of its side               DPU of the server    host of the server side
//	CH-PD-SH     host of its side     its DPU   whole, on the host
//	CH-PD-ED-SH  host of its side     its DPU   DPU of the server    host of the server side
//	CH-EH-SD     host of its side               host of its side     DPU of the server
//
// [Assignment.Lanes] are the pairs of halves, and [LaneDevice] is the device that joins a pair.
//
// A node may have another address and RDMA device in a mode of its host's card: modes. See
// [Assignment.InModes].
//
// The first six are the study's (its Table 2). A testbed file may add placements.
// [Testbed.Assign] finds the nodes of a placement, and [Assignment.Device] the RDMA device of each
// node.
package testbed
