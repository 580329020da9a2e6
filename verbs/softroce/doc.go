// Package softroce is a RoCE v2 device in pure Go: RDMA's packets over an ordinary UDP socket, for
// machines without an RDMA NIC. It speaks with NICs and with the kernel's soft-RoCE (rxe).
//
// # Packets
//
// Package wire has their layout. The ICRC covers the IP ID, which a UDP sender has to know and a
// UDP receiver cannot see. The socket stays unconnected and does path MTU discovery: then the
// kernel sends ID 0, and numbers the packets that it cuts from one segmented send 0, 1, 2, … The
// receiver works the ID out of the ICRC itself (wire.Flow.CheckICRC). That leaves the check of
// softroce's own packets with at least 26 of its 32 bits, and that of others with 16. UDP's and
// Ethernet's checksums add theirs.
//
// A QP with a flow label sends from the UDP port that NICs derive from it
// ([dpukv/verbs.UDPSourcePort]), through a socket of that port. All others send from 4791, where
// everything is received. The ICRC of a packet from another port is checked with 16 bits where its
// ID was not guessed, as that of a NIC.
//
// # Implemented
//
//   - UC: WRITE and SEND, with and without immediate. UD: SEND, with and without immediate.
//   - RC: WRITE, SEND, READ, with ACKs, NAKs, go-back-N, "receiver not ready", and retry counters;
//     up to 16 READ requests on the way, each for 32 packets at most.
//
// Not implemented: IPv6; atomics; RD and XRC; shared receive queues; memory windows and SEND with
// invalidate; solicited events (the bit is sent); partitions other than the default one; congestion
// control (ECN bits are ignored); address resolution beyond the kernel's routing. A READ is
// answered at once, whatever its length. The retry timer doubles with each try, where the
// specification has it constant: a peer's software may be kept from running for longer than a NIC
// is.
//
// # What arrives
//
// A packet is taken if its ICRC is right, the QP exists and is connected, for UC and RC the source
// address is the peer's and for UD the Q_Key is the QP's, and, for memory, the key is that of a
// region of the QP's protection domain which allows the access and holds all of what is left of the
// message. Else no byte of memory changes, and the reason is counted under its name in Counters. RC
// also answers with a NAK; after one for anything but a loss or a missing receive the QP is in
// error, on both sides.
//
// UC: a message with a gap is dropped from there on, and what came before it stays in memory. The
// next first or only packet is taken whatever its PSN. WRITEs are an exception: one of the last
// 65,536 PSNs before the newest WRITE is dropped as stale_psn. The network has repeated it or let
// others overtake it, and it would put old bytes over new. So WRITEs are placed at most once, and
// in order. SENDs are delivered as they come, as by a NIC: twice where the network repeats them.
//
// A packet that is refused changes nothing: neither the expected PSN nor the message under way. One
// that somebody else made up needs the peer's address and the QP's number. To write bytes it needs
// the key as well, to end an RC QP the exact PSN, or for a NAK one of those under way. A SEND, or a
// WRITE of no bytes with immediate, needs no more and takes a posted receive; it costs a UC peer
// the message under way at most. Who has the key can write, and can make up to 65,536 packets of
// the peer late.
//
// UD: a receive buffer starts with room for a GRH of 40 bytes, of which the second half gets the
// IPv4 header, as with a NIC. TOS, TTL and the header's checksum are zero there, since a socket
// does not tell them. Bytes 0 to 19 stay as they are. Datagrams are not protected from being
// repeated or reordered by the network.
//
// # Who can reach what
//
// A QP reaches the regions of its protection domain, and no others: one domain for each peer keeps
// peers apart. Beyond that, only numbers that are hard to guess protect memory. Keys are 32 random
// bits, QP numbers and first PSNs 24:
//
//   - A peer that guesses keys of its own domain, of n regions, hits with one in 2^32/n packets. A
//     miss is counted as bad_rkey, and ends an RC QP.
//   - Another host must also send from the peer's address and hit the QP's number: one in 2^24.
//
// RoCE has neither encryption nor authentication. Whoever reads packets on their way learns all the
// numbers in them, and can then write what the peer can.
//
// # What cannot be sent
//
// A peer's GID must be a unicast IPv4 address: Connect and CreateAH refuse others. What the kernel
// refuses to send is lost, as on a wire, and only that: the rest of the list goes out, and PostSend
// reports nothing. The packets are counted by reason (tx_too_long, tx_unreachable, tx_forbidden,
// tx_no_room, tx_failed), and the first of a reason in ten seconds is an event. An RC QP whose
// packets go nowhere ends with "retry exceeded". PostSend and Progress return errors of the
// device's own socket only.
//
// All peers of a device share its socket's queue. A list waits for room there until the queue has
// taken nothing for 200 ms, and is then lost. The next lists do not wait until something was taken.
// The kernel keeps packets for an address of an own network for seconds before it knows that nobody
// answers there. A few such peers fill a small queue, as a program without CAP_NET_ADMIN has: so a
// server should send only to where requests come from.
//
// # Visibility
//
// Of an incoming WRITE, the aligned 8-byte word that holds the message's last byte is stored last,
// whole, in one atomic operation with release order; bytes of that word that do not belong to the
// message keep their values. A poller that reads a changed byte of this word with an atomic load
// (sync/atomic, of the word or of an aligned 4-byte half) sees all bytes of the message, and of all
// messages before it on the same QP. No order holds among the other bytes. A completion of a
// receive, or of a READ, is likewise seen after its bytes.
//
// # Who may call what, when
//
// A device works only inside calls. Progress takes in what one recvmmsg brings, answers, and sends
// RC's overdue packets; Poll does the same when its queue is empty. Any number of goroutines may
// call either, one of which works while the others return at once. PostSend and PostRecv may run
// beside it and beside those of other QPs; on one QP they are one goroutine's at a time each. A
// receive completes at the end of the Progress that took it in.
//
// UC and UD requests complete in PostSend. RC requests complete when the peer has acknowledged
// them, for which both sides have to make progress. The memory of an RC request is read again when
// packets are lost, unless it was inline.
//
// Closing a region, a queue pair or an address handle waits for packets that are just being made or
// taken in. Closing the device unmaps all its regions: nobody may touch their bytes afterwards.
//
// # Batches
//
// PostSend makes trains of the list's packets: up to 64 of one size to one address, of which the
// last may be shorter, and leaves it to the kernel to cut them (UDP_SEGMENT); all trains go out in
// one sendmmsg. Between two sockets of one machine a train is never cut at all, and is received as
// one (UDP_GRO). On a kernel that cannot do that, packets go one by one, and the device's name says
// so. Where that turns out only on the way to one peer, it holds for that way alone: the name and
// the counter gso_refused say so.
package softroce
