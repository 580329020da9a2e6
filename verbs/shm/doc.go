// Package shm is a [verbs.Device] over memory that the processes of one machine all map. There are
// no packets: a WRITE is a copy into the peer's memory, as the internal loopback of a NIC would do
// it. Its figures are those of a memory bus, and it says so: provider "shm", emulated, link layer
// "memory". A flow label means nothing here: nobody is on the path.
//
// # An arena a device
//
// A device is one memfd, its arena: no file, so a process that dies leaves none. Everything that
// peers must see lies in it:
//
//	byte 0          header     who it is, and the address at which its owner has mapped it
//	     4096       counters   what was refused here, counted by those who were refused
//	     8192       regions    4096 entries of 32 bytes: memory regions, by the low bits of their rkey
//	     139264     queues     4096 entries of 64 bytes: queue pairs, by the low bits of their number
//	     401408     heap       memory regions and receive rings
//
// A handle names an arena: the owner's process, its descriptor, and 16 random bytes that the header
// repeats, so that a process that has come since with the same number is not mistaken for it. A
// peer maps the whole arena through /proc/PID/fd/N, which the kernel grants to the same user and to
// root. The other process chooses what is there, so it is opened only once the kernel says that it
// is a memory file: a pipe could block, and a device could act. The size must be sealed: nobody can
// cut the memory away from under a peer.
//
// An address in a work request is that of the owner's mapping, as with a NIC. Who wants to write
// checks rkey, access and bounds against the owner's region entry, each time: the check that a NIC
// makes with its translation and protection table, protection domains included. It guards against
// mistakes. A process that means harm has the whole arena mapped, with all clients' memory in it,
// and needs no key.
//
// What such a process cannot do is end another. What is read from an arena, a peer's or one's own,
// is checked against what is mapped before it becomes an address. A corrupt entry is counted as
// bad_message or as a bad key.
//
// A region that was closed has no entry any more. A writer on another core may have passed its
// check just before; so room in the arena is used again only after a quarantine of [quarantine],
// and a late write meets memory that is nobody's.
//
// # Receive rings
//
// Messages (SEND, and the notice of a WRITE with immediate) go through lanes: rings of cache lines,
// each with one sender, so that there is nothing to lock and nothing to claim, and a sender that
// dies in the middle of a message holds nobody up. A UD queue pair has [udLanes], which senders
// take at their first message and return when they close; those of dead senders are taken over. A
// UC or RC queue pair has one, for its peer. A lane is as long as the queue is deep, for messages
// as long as the first buffer posted.
//
//	lane:   byte 0                 64                 128
//	            | owner, its pid … | head of receiver | units of 64 bytes …
//
//	unit:   byte 0                               8                       16
//	first       | lap 16 · flags 16 · bytes 32   | imm 32 · source QPN   | payload …
//	others      | 0                              | payload …
//
// The receiver copies a message into the buffer posted first when it polls its completion queue. A
// message that meets no buffer is dropped and counted (UD, UC) or waits (RC).
//
// # Memory ordering
//
// Three words publish what was written before them, and are stored with release and loaded with
// acquire order:
//
//   - the last word of a WRITE that ends on a multiple of eight bytes: who polls that word and
//     finds the new value finds all of the message. (Of another WRITE only amd64 keeps the order.)
//   - the first word of a message's first unit. Its lap number is that of the ring's round, so that
//     the word of the round before is not taken for it. The other units of a message start with 0,
//     which is no first word in any round.
//   - the receiver's head. The sender writes over a unit only after it has seen the head past it; a
//     load with acquire order also keeps the stores after it from coming before it.
//
// Package internal/order says what that costs on Arm and on amd64, and has the three as litmus
// tests.
package shm
