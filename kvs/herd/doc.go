// Package herd serves [dpukv/kvs/partition] over RDMA verbs, and is its client, after "Using
// RDMA Efficiently for Key-Value Services" (SIGCOMM '14).
//
// # Requests are written, answers are sent
//
// A client WRITEs each request over an unreliable connection (UC) into a slot of its own in the
// server's memory; the server's NIC does that without the server's CPU. A worker polls the slots,
// looks up a batch at a time, and SENDs each answer as a datagram (UD), which scales to many
// clients with one queue pair a worker. Either way a list is posted at once, and one in a few dozen
// work requests asks for a completion.
//
//	client                                         server
//	link to worker w:  UC QP ── WRITE requests ──▶ UC QP   slots of this client at worker w
//	                   UD QP ◀── SEND answers ──── UD QP   of worker w, for all clients
//	side channel:      TCP   ── hello, join, ask ▶ TCP     ◀ welcome, seat, stats, failure
//
// The key's hash decides on the worker (EREW: each owns a partition, which it alone touches). The
// original chooses a worker at random, and each holds every key: that measures the network with the
// store out of the way, but it is no store, as what one worker is told another does not know.
//
// What is on the path between them can tell for which worker a request is, and so which part of the
// keys: the queue pairs to worker w have the flow label w+1, so that with RoCE v2 their packets
// leave from UDP port 0xc001+w ([dpukv/verbs.UDPSourcePort]).
//
// # Slots
//
// A connection has as many slots at each worker as it may have requests in flight, rounded up to a
// power of two, all workers' in a row in one memory region with a key of its own. The region and
// the queue pairs to it are in a protection domain of their own, so that the key opens nothing to
// another client's queue pairs, nor to late requests of a connection that has ended. Over shm this
// does not hold: see below. Requests are numbered; number n goes into slot n mod slots. A request
// lies at the end of its slot, and only that part is written: 32 bytes of a GET with a key of 16,
// 64 of a PUT with a value of 32.
//
//	        …                                      slot − 16   slot − 8    slot
//	 | free | value, padded to 8 | key, padded to 8 | key hash  | control   |
//
//	control: bits 0–15     16–23      24–26       27–34     35–63
//	         value bytes | key bytes | operation | attempt | sequence
//
// The server tells in its welcome how large slots are. 64 bytes are enough for the study's items.
//
// # When a slot is complete
//
// The control word is the last of a request, in the slot and in time, and is valid only with the
// sequence that the slot waits for, which is that of the lap before plus the number of slots. A
// worker that loads that word with acquire order and finds that sequence finds all of the request:
//
//   - NICs place the bytes of one WRITE in ascending order. InfiniBand does not promise it, but
//     HERD, FaRM and others have relied on it since, for all NICs that this can run on; the PCIe
//     writes of one message are not reordered.
//   - A message that takes several packets: UC drops what is out of order, and all the rest of a
//     message of which a packet was lost, so that the last packet, with the control word, is placed
//     only after all the others.
//   - verbs/softroce and verbs/shm store the last word of a message with release order.
//
// The client writes the next request only when it has the answer, which the worker stores, or gives
// to the kernel, after it has read the request. TestOrderOfSlot and TestOrderOfReusedSlot hold both
// against Armv8's memory.
//
// No slot is cleared. The server writes to none, and so leaves the client's NIC, or its core, the
// only writer of the line.
//
// # Lost requests, lost answers
//
// UC and UD lose. A client repeats a request whose answer has been out too long, with another
// attempt in its control word and everything else the same. The server remembers of each slot the
// control word that it took last and how that request ended:
//
//   - the next sequence is a new request, whatever its attempt: it is done;
//   - the same sequence with another attempt is a repeated request. A GET is done again. A write is
//     not: it is answered as it was the first time. So an ADD whose answer was lost is still
//     answered OK, and a PUT does not come back over another client's later one.
//
// A slot gets its next request only when the one before was answered, so one memory a slot is
// enough. A repeated GET may find a later value than the first attempt did. Whichever answer comes
// first is the one: both lie between the request and its answer, which is all that linearizability
// asks for. Answers carry their sequence; one to a request that was answered before is dropped and
// counted.
//
// Requests of one connection to one worker are done in their order: a worker goes from slot to
// slot, and behind one that is still empty it looks only once in a while, for what follows a lost
// one. As UC keeps order, a request that is there while the one before it is not means that that
// one is lost; it will be done when it is repeated, after those that followed. So order is not kept
// across a loss, as for any requests in flight at once.
//
// # Answers
//
// The payload of an answer is the value alone. The immediate has bits 0–2 status, 3–31 sequence. A
// value must fit one datagram, so a server takes none that are longer than its device's MTU.
//
// # Windows
//
// A list leaves when it is full, and all of it fits the window: with a window of one list the
// client so stops and waits, as the original does; with smaller lists and a larger window the two
// sides work at the same time. A list that is full may wait in the client while the window is in
// flight.
//
// # Polling
//
// A pass takes every request that is there, at most [dpukv/kvs/partition.Depth], and does them as
// one batch, so that memory latency is hidden. The original takes one slot of each client a pass,
// and then its batch never exceeds the number of clients: Config.Faithful. A worker without work
// spins, then yields its CPU at each turn, then sleeps.
//
// # What devices say
//
// Both ends listen to the events of their devices, off the path of requests: a port that goes down,
// a queue that overruns. A run that fails names those since it began, at the server too where that
// can still be asked ([Remote.Events]), and so does a server that ends. A run that does not fail
// has the serious ones as warnings, from [Remote.Warnings] and the server's [kvs.Stats].Warnings, which
// are those since the first client that has slots came.
//
// # The side channel
//
// Both ways it is a sequence of frames, all numbers little endian; version and magic stand in each:
//
//	byte 0        8       12        13     14      16
//	    | magic  | bytes | version | kind | zero  | JSON of so many bytes |
//
// A connection's slots are its own while its side channel is open. A client that dies leaves its
// slots to others that way; one that writes what is no request is told so there, and shown out. The
// server looks at a client's endpoints ([verbs.Check], unicast addresses, numbers that fit) before
// it makes anything for it.
//
// # What a bad client can do
//
// There is no authentication: whoever reaches the server may read, write and delete every key, and
// take every seat. Apart from that, what one client does ends its own connection, and nobody
// else's:
//
//   - A slot is checked whole before it is used. The control word is loaded once, and all
//     lengths come from it; operation, lengths and the worker that owns the key's hash must fit;
//     a repeated request must be the same but for its attempt. Key and value may change while
//     they are read, which spoils only what is stored under them. The worker ends the connection
//     at the first word that is no request.
//   - An answer that the device does not take, or that completes with an error, ends the
//     connection of the client it was for. A flushed completion, or a failure that names no work
//     request, ends the worker: then the queue pair, or the device, is lost for all. A NIC may
//     bring its queue pair into that state by one bad request, which the checks of a join are to
//     prevent.
//   - Slots that the device does not free when a client leaves are given up, and so is its seat.
//   - An error of Accept is outlived, with one spare descriptor to refuse with a reason:
//     [dpukv/kvs/internal/admission].
//
// What it can take, each enforced and told:
//
//	slots             --max-clients × threads × window, rounded up to a power of two, × (slot bytes + 9)
//	connections       --max-connections, by default four for each client, at most 3/4 of ulimit -n
//	memory of one     67 KiB + 13 KiB for each worker, beside its slots
//	hello             must begin within 5 s
//	a frame           must be whole within 5 s of its first byte
//	a frame's body    256 bytes; of a join 1 KiB + 4 KiB for each worker. Memory grows with what has come
//	an answer         must be taken within 5 s
//	questions         one in 100 ms is answered to each connection; workers are looked at once in 5 ms
//	joins             one at a time
//	silence           without slots, 60 s, once 3/4 of the places are taken: then it gives way to others
//
// The memory of all is in the facts (max_client_bytes), and a server that could come to need more
// than its machine has does not start. What remains:
//
//   - Seats and places are first come, first served. Whoever holds all of them keeps others out.
//   - A client may keep its slots full, and has as many turns as any other.
//   - Answers go to the address that a join names, which need not be its own.
//   - Over shm, processes of one user map each other's memory, and only a well-behaved device
//     keeps to its regions: such a process can write into all that the server's device holds.
//   - Over softroce and on a network without protection, packets can be forged by who knows or
//     guesses a connection's numbers: see [dpukv/verbs/softroce].
//   - Keys whose hashes collide on purpose make chains that all pay for: hashes are not verified.
//
// A simulation holds this (TestSimulation), and finds each fault that was mended when it is put
// back.
package herd
