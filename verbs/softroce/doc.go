// Package softroce is a RoCE v2 device in pure Go: RDMA's packets over an ordinary UDP socket, for
// machines without an RDMA NIC. It interoperates with NICs and with the kernel's soft-RoCE (rxe).
//
// # Packets
//
// Package wire defines their layout. The ICRC covers the IP ID. A UDP sender must know this ID, and
// a UDP receiver cannot see it. The socket stays unconnected and does path MTU discovery. Then the
// kernel sends ID 0. It numbers the packets that it cuts from one segmented send 0, 1, 2 and so on.
// The receiver computes the ID from the ICRC itself (wire.Flow.CheckICRC). At least 26 of the 32
// bits then still check softroce's own packets, and 16 check those of others. The checksums of UDP
// and Ethernet come on top.
//
// A QP with a flow label sends from the UDP port that NICs derive from it
// ([dpukv/verbs.UDPSourcePort]), through a socket on that port. All others send from 4791, which
// receives everything. For a packet from another port, 16 bits of the ICRC are checked unless its
// ID was guessed, as for a NIC's packet.
//
// # Implemented
//
//   - UC: WRITE and SEND, with and without immediate. UD: SEND, with and without immediate.
//   - RC: WRITE, SEND, READ, with ACKs, NAKs, go-back-N, "receiver not ready", and retry counters.
//     Up to 16 READ requests may be outstanding, each for at most 32 packets.
//
// Not implemented: IPv6; atomics; RD and XRC; shared receive queues; memory windows and SEND with
// invalidate; solicited events (the bit is sent). Nor are these: partitions other than the default
// one; congestion control (ECN bits are ignored); address resolution beyond the kernel's routing.
// The responder answers a READ at once, whatever its length. The retry timer doubles with each try,
// although the specification has it constant: the scheduler may stop a peer's software for longer
// than a NIC ever pauses.
//
// # Checks of incoming packets
//
// A device accepts a packet if all of the following hold. The ICRC is right. The QP exists and is
// connected. For UC and RC the source address is the peer's; for UD the Q_Key is the QP's. If the
// packet accesses memory, its key names a region of the QP's protection domain, which allows the
// access and holds the whole rest of the message. Otherwise no byte of memory changes, and Counters
// has the reason by its name. RC also answers with a NAK. After a NAK for anything but a loss or a
// missing receive, the QP is in error on both sides.
//
// UC drops the rest of a message after a gap; the part before the gap stays in memory. It accepts
// the next first or only packet whatever its PSN. WRITEs are an exception: a WRITE with one of the
// last 65,536 PSNs before the newest WRITE is dropped as stale_psn. The network has repeated or
// delayed it, and it would overwrite new bytes with old ones. So WRITEs are placed at most once,
// and in order. SENDs are delivered as they come, as by a NIC: twice if the network repeats them.
//
// A refused packet changes nothing: neither the expected PSN nor the current message. A forged
// packet needs the peer's address and the QP's number. To write bytes it also needs the key. To end
// an RC QP it needs the exact PSN or, as a NAK, the PSN of an outstanding packet. A SEND, or an
// empty WRITE with immediate, needs nothing more and takes a posted receive. It costs a UC peer at
// most the current message. A sender with the key can write, and can make up to 65,536 packets of
// the peer late.
//
// UD: a receive buffer starts with room for a GRH of 40 bytes. Its second half gets the IPv4
// header, as with a NIC. TOS, TTL and the header's checksum are zero there, since a socket does not
// report them. Bytes 0 to 19 do not change. Datagrams are not protected from repetition or
// reordering by the network.
//
// # Protection
//
// A QP reaches only the regions of its protection domain: one domain per peer keeps peers apart.
// Beyond that, only numbers that are hard to guess protect memory. Keys have 32 random bits, QP
// numbers and first PSNs 24:
//
//   - A peer that guesses keys of its own domain, with n regions, hits with one in 2^32/n packets.
//     A miss counts as bad_rkey, and ends an RC QP.
//   - Another host must also send from the peer's address and hit the QP's number: one in 2^24.
//
// RoCE has neither encryption nor authentication. Anyone who reads packets on their way learns all
// the numbers in them, and can then write wherever the peer can.
//
// # Refused sends
//
// A peer's GID must be a unicast IPv4 address: Connect and CreateAH refuse others. A packet that
// the kernel refuses to send is lost, as on a wire. The rest of the list goes out, and PostSend
// reports nothing. The device counts the packets by reason (tx_too_long, tx_unreachable,
// tx_forbidden, tx_no_room, tx_failed), and reports one event per reason in ten seconds. An RC QP
// whose packets never leave ends with "retry exceeded". PostSend and Progress return only errors of
// the device's own socket.
//
// All peers of a device share its socket's queue. A list waits there for room. If the queue takes
// nothing for 200 ms, the list is lost. The next lists then do not wait, until the queue takes a
// packet again. If nobody answers at an address in the local network, the kernel keeps its packets
// for seconds. A few such peers fill a small queue, and a program without CAP_NET_ADMIN has a small
// one. So a server should send only to addresses that requests come from.
//
// # Ports of mlx5
//
// A NIC of mlx5 with RoCE enabled, which is its default, takes UDP 4791 for its own RDMA device. A
// socket then receives nothing. [Open] asks devlink, and refuses such a port with the commands that
// disable RoCE. If devlink does not tell, the device's name says so.
//
// # Visibility
//
// A WRITE's last byte lies in an aligned 8-byte word. The receiver stores this word last, whole, in
// one atomic operation with release order. Bytes of the word outside the message keep their values.
// A poller reads a changed byte of this word with an atomic load (sync/atomic, of the word or of an
// aligned 4-byte half). It then sees all bytes of the message, and of all earlier messages on the
// same QP. The other bytes have no order among themselves. A completion of a receive, or of a READ,
// is likewise visible only after its bytes.
//
// # Concurrency
//
// A device works only inside calls. Progress takes the packets of one recvmmsg, answers them, and
// sends RC's overdue packets. Poll does the same when its queue is empty. Any number of goroutines
// may call either; one of them works while the others return at once. PostSend and PostRecv may run
// concurrently with Progress and with those of other QPs. On one QP, each serves one goroutine at a
// time. A receive completes at the end of the Progress that took its packet.
//
// UC and UD requests complete in PostSend. RC requests complete when the peer has acknowledged
// them, so both sides have to make progress. RC reads the memory of a request again when packets
// are lost, unless it was inline.
//
// Closing a region, a queue pair or an address handle waits for packets that are being built or
// received at that moment. Closing the device unmaps all its regions: nobody may touch their bytes
// afterwards.
//
// # Batches
//
// PostSend makes trains of the list's packets: up to 64 of one size to one address, the last of
// which may be shorter. The kernel cuts the trains (UDP_SEGMENT); all of them go out in one
// sendmmsg. Between two sockets of one machine a train is never cut at all, and arrives as one
// (UDP_GRO). On a kernel without segmentation, packets go one by one, and the device's name says
// so. If only the route to one peer lacks it, then only that route does without: the name and the
// counter gso_refused show it.
package softroce
