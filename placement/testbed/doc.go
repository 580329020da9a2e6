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
// A node may have another address and RDMA device in a mode of its host's card: modes. See
// [Assignment.InModes].
//
// These are the study's (its Table 2). A testbed file may add placements. [Testbed.Assign] finds
// the nodes of a placement, and [Assignment.Device] the RDMA device of each node.
package testbed
