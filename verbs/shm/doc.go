// Package shm is a [verbs.Device] over memory that processes of one machine share. There are no
// packets: a WRITE is a copy into the peer's memory, like a NIC's internal loopback. Its figures
// are those of a memory bus. So its provider is "shm", its link layer is "memory", and it counts as
// emulated. A flow label has no effect: there is no device on the path.
//
// # One arena per device
//
// A device is one memfd, its arena. It is not a file in a file system, so a process that dies
// leaves none behind. The arena contains everything that peers must see:
//
//	byte 0          header     who it is, and the address at which its owner has mapped it
//	     4096       counters   refused requests by reason; the refused peers count them
//	     8192       regions    4096 entries of 32 bytes: memory regions, by the low bits of their rkey
//	     139264     queues     4096 entries of 64 bytes: queue pairs, by the low bits of their number
//	     401408     heap       memory regions and receive rings, from the next whole page on
//
// A handle names an arena: the owner's process, its descriptor, and 16 random bytes that the header
// repeats. So a later process with the same number is not mistaken for the owner. A peer maps the
// whole arena through /proc/PID/fd/N, which the kernel permits to the same user and to root. The
// other process chooses the file behind that path. So a peer opens it only once the kernel confirms
// that it is a memory file: a pipe could block, and opening a device could have effects. The size
// must be sealed, so that nobody can truncate the memory under a peer.
//
// An address in a work request refers to the owner's mapping, as with a NIC. A writer checks rkey,
// access and bounds against the owner's region entry each time. That is the check that a NIC makes
// with its translation and protection table, protection domains included. It guards against
// mistakes. A hostile process has the whole arena mapped, with all clients' memory in it, and needs
// no key.
//
// Such a process cannot crash another. A process checks every value from an arena, a peer's or its
// own, against the mapping before it becomes an address. It counts a corrupt entry as bad_message
// or as a bad key.
//
// A closed region has no entry. A writer on another core may have passed its check just before.
// Therefore the arena reuses room only after a quarantine of [quarantine], and a late write hits
// memory that nobody uses. After it, the room joins what is free beside it.
//
// # Receive rings
//
// Messages (SEND, and the notice of a WRITE with immediate) go through tracks. A track is a ring of
// cache lines with one sender. So there is nothing to lock or to claim, and a sender that dies in
// the middle of a message blocks nobody. A UD queue pair has [udTracks]. Senders take them at their
// first message and return them when they close; other senders take over the tracks of dead ones. A
// UC or RC queue pair has one track, for its peer. A track is as long as the queue is deep, for
// messages as long as the first posted buffer.
//
//	track:  byte 0                 64                 128
//	            | owner, its pid … | head of receiver | units of 64 bytes …
//
//	unit:   byte 0                               8                       16
//	first       | lap 16 · flags 16 · bytes 32   | imm 32 · source QPN   | payload …
//	others      | 0                              | payload …
//
// When the receiver polls its completion queue, it copies a message into the oldest posted buffer.
// A message without a buffer is dropped and counted (UD, UC) or waits (RC).
//
// # Memory ordering
//
// Three words publish earlier writes. They are stored with release order and loaded with acquire
// order:
//
//   - The last word of a WRITE that ends on a multiple of eight bytes: a poller that finds its new
//     value finds the whole message. (For other WRITEs only amd64 keeps the order.)
//   - The first word of a message's first unit. It contains the lap number of the ring, so that a
//     word of the previous lap is not mistaken for it. The other units of a message start with 0,
//     which is no first word in any lap.
//   - The receiver's head. The sender overwrites a unit only after it has seen the head past it. A
//     load with acquire order also keeps later stores from moving before it.
//
// Package internal/order describes the cost on Arm and on amd64, and has the three as litmus tests.
package shm
