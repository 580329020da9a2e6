// Package verbs is the part of the RDMA verbs that key-value stores need, as Go types with the
// standard names: device, protection domain, memory region, completion queue, queue pair, address
// handle, work request, work completion.
//
// # Providers
//
// A provider implements [Device]. All providers have the same semantics, and [DeviceInfo] names
// them:
//
//	ibverbs   an RDMA NIC (or the kernel's soft-RoCE) through libibverbs; not in static builds
//	softroce  RoCE v2 over UDP in pure Go: a software device that speaks with NICs
//	shm       memory that two processes of one machine both map: no packets at all
//
// # Memory and progress
//
// The memory of work requests comes from [PD.AllocMR] and lies outside the Go heap. Work requests
// hold no Go pointers, so a whole list crosses into C, or onto the wire, in one call.
//
// A software device moves packets only inside calls of [Device.Progress], [CQ.Poll] and
// [QP.PostSend]. A loop that watches memory for incoming writes must call Progress each turn; for a
// NIC the call does nothing. Several goroutines may use a device. A QP's send side, a QP's receive
// side and a CQ each serve one goroutine at a time.
//
// # Events
//
// A device keeps asynchronous events, such as a port that goes down, with their times, and
// [Device.Events] returns them. Nobody has to listen, and events cost nothing on the path of
// packets. [Explain] adds them to an error. [Warnings] returns those that belong beside figures.
//
//	ibverbs   what the kernel tells: port down and up, changed LID or GIDs, CQ overrun, QP or device fatal
//	softroce  CQ overrun, RC QP fatal, packets that the kernel refuses to send or to cut; no ports: a
//	          socket is not told
//	shm       CQ overrun, RC QP fatal
//
// # Connecting
//
// Peers exchange [Endpoint] values over any channel, compare them with [Check], and connect their
// QPs. A mismatch of transport, link layer, GID kind or MTU is an error. The error names both
// before any traffic.
package verbs
