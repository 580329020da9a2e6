// Package sidechannel carries the information that two RDMA peers exchange besides packets:
// endpoints, memory regions, and the ends of steps. It is JSON over a TCP connection, one value per
// line.
//
//	Send, Receive    one value, one way
//	Swap             one each way: a barrier too
//	AwaitEnd         waits for the peer's end
//	Await, SwapWith  the same for the owner of a software device, which moves packets only inside calls
//	Expect           begins to receive, while the caller does other things
//
// The peer is not trusted: there is no authentication. Receive refuses a value after the maximum
// number of bytes. It leaves bytes behind a value in the socket. A step that takes longer than the
// timeout fails, however busily the peer sends.
package sidechannel
