// Package sidechannel carries what two RDMA peers must tell each other besides packets: endpoints,
// memory regions, and when a step is done. It is JSON over a TCP connection, one value a line.
//
//	Send, Receive    one value, one way
//	Swap             one each way: a barrier too
//	Await, SwapWith  the same for the owner of a software device, which moves packets only inside calls
//
// The peer is not trusted: there is no authentication. A value longer than the limit is refused
// after so many bytes, what follows a value stays in the socket, and a step that takes longer than
// the timeout fails, however busily the peer sends.
package sidechannel
