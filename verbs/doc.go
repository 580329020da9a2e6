// Package verbs is the part of the RDMA verbs that key-value stores need, as Go types
// with the field's names: device, protection domain, memory region, completion queue, queue
// pair, address handle, work request, work completion.
//
// # Providers
//
// A provider implements [Device]. All have the same semantics, and say who they are in
// [DeviceInfo]:
//
//	ibverbs   an RDMA NIC (or the kernel's soft-RoCE) through libibverbs; needs the build tag ibverbs
//	softroce  RoCE v2 over UDP in pure Go: a software device that speaks with NICs
//	shm       memory that two processes of one machine both map: no packets at all
//
// # Rules of the house
//
// Memory that a work request names comes from [PD.AllocMR] and lies outside the Go heap. Work
// requests hold no Go pointers, so that a whole list crosses into C, or onto the wire, in one call.
//
// A software device moves packets only inside calls: of [Device.Progress], [CQ.Poll] and
// [QP.PostSend]. A loop that watches memory for incoming writes must call Progress each turn; a NIC
// does nothing there. A device may be used by several goroutines; a QP's send side, a QP's receive
// side and a CQ by one at a time each.
//
// # Events
//
// What befalls a device on its own, such as a port that goes down, is kept with its time until
// somebody asks ([Device.Events]): nobody has to listen, and nothing is paid for it where packets
// move. [Explain] adds it to an error, [Warnings] are for beside figures.
//
//	ibverbs   what the kernel tells: port down and up, changed LID or GIDs, CQ overrun, QP or device fatal
//	softroce  CQ overrun, RC QP fatal, packets that the kernel refuses to send or to cut; no ports: a
//	          socket is not told
//	shm       CQ overrun, RC QP fatal
//
// # Connecting
//
// Peers exchange [Endpoint] values over any channel, look at both with [Check], and connect their
// QPs. A mismatch of transport, link layer, GID kind or MTU is an error that names both before the
// first byte moves.
package verbs
