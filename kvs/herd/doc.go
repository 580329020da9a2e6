// Package herd serves [dpukv/kvs/partition] over RDMA verbs, and contains its client. It follows
// "Using RDMA Efficiently for Key-Value Services" (SIGCOMM '14).
//
// # Requests are written, answers are sent
//
// A client WRITEs each request over an unreliable connection (UC) into a slot of its own in the
// server's memory. The server's NIC does that without the server's CPU. A worker polls the slots,
// looks up one batch at a time, and SENDs each answer as a datagram (UD). Datagrams scale to many
// clients with one queue pair per worker. Both sides post a list at once, and one in a few dozen
// work requests asks for a completion.
//
//	client                                         server
//	link to worker w:  UC QP ── WRITE requests ──▶ UC QP   slots of this client at worker w
//	                   UD QP ◀── SEND answers ──── UD QP   of worker w, for all clients
//	side channel:      TCP   ── hello, join, ask ▶ TCP     ◀ welcome, grant, stats, failure
//
// The key's hash determines the worker (EREW: each worker owns a partition and alone accesses it).
// The original chooses a worker at random, and each of its workers holds every key. That measures
// the network without the cost of the store. But it is no store, because one worker does not see
// the writes of another.
//
// A device on the path can tell which worker a request is for, and so which part of the keys. The
// queue pairs to worker w have the flow label w+1. With RoCE v2 their packets therefore leave from
// UDP port 0xc001+w ([dpukv/verbs.UDPSourcePort]).
//
// # Slots
//
// A connection has as many slots at each worker as it may have requests in flight, rounded up to a
// power of two. The slots of all workers lie in a row in one memory region with a key of its own.
// The region and its queue pairs are in a protection domain of their own. So the key gives no
// access to another client's queue pairs, nor to late requests of a closed connection. Over shm
// this does not hold: see below. Requests are numbered; number n goes into slot n mod slots. A
// request lies at the end of its slot, and the client writes only that part: 32 bytes of a GET with
// a key of 16, 64 of a PUT with a value of 32.
//
//	        …                                              slot − 16   slot − 8    slot
//	 | free | (check) | value, padded to 8 | key, padded to 8 | key hash  | control   |
//
//	control: bits 0–15     16–23      24–26       27–34     35–63
//	         value bytes | key bytes | operation | attempt | sequence
//
//	check:   bits 0–31                               32–63
//	         CRC-32C of what lies up to the control | sequence
//
// The server's welcome contains the size of a slot. 64 bytes are enough for the study's items.
//
// # When a slot is complete
//
// The control word is the last word of a request, in the slot and in time. It is valid only with
// the sequence that the slot expects: the sequence of the previous lap plus the number of slots.
// When a worker loads that word with acquire order and finds that sequence, the whole request is
// visible:
//
//   - A request within a cache line, such as one of the study's items, becomes visible as a whole:
//     it is one write on the bus.
//   - A longer one does if both devices promise it ([dpukv/verbs.LastWord]). verbs/softroce and
//     verbs/shm do: they store the last word of a message with release order. A NIC does, unless
//     its firmware lets its writes overtake each other (PCI_WR_ORDERING), which the verbs do not
//     tell. So without the promise, a longer request has a check word. The worker looks again until
//     it fits. One in 2^32 stale lines passes.
//   - A message may take several packets. UC drops packets that are out of order, and the rest of a
//     message after a lost packet. So a request whose tail is lost never becomes visible.
//
// Both ends know both devices, and decide alike. The facts name the checksum (request_check). A
// device that promises nothing, not even whole words, is refused. WRITEs of one queue pair must
// become visible in their order. TestEveryOrder tries all orders of up to four lines.
//
// The client writes the next request to a slot only after it has the answer to the previous one.
// The worker stores the answer, or passes it to the kernel, after it has read the request.
// TestOrderOfSlot and TestOrderOfReusedSlot check both against Armv8's memory model.
//
// The server writes to no slot and clears none. So the client's NIC, or its core, remains the only
// writer of the cache line.
//
// # Lost requests, lost answers
//
// UC and UD may lose messages. If an answer takes too long, the client repeats the request. Only
// the attempt in the control word differs. A NIC may read a repeat's payload late, after the answer
// to an earlier attempt. So the client stages no other request until its repeats have left.
//
// For each slot the server remembers the last control word and the outcome of that request:
//
//   - The next sequence is a new request, whatever its attempt. The worker executes it.
//   - The same sequence with another attempt is a repeated request. The worker executes a GET
//     again. It does not execute a write again but repeats the first answer. So an ADD whose answer
//     was lost is still answered OK, and a PUT does not overwrite a later PUT of another client.
//
// A slot gets its next request only after the answer to the previous one, so one remembered outcome
// per slot is enough. A repeated GET may find a later value than the first attempt. The client
// takes the answer that comes first. Both executions lie between the request and its answer, and
// linearizability requires no more. Answers carry their sequence; the client drops and counts
// answers to requests that were answered before.
//
// A worker executes the requests of one connection in order: it goes from slot to slot. It looks
// beyond an empty slot only once in a while, for requests that follow a lost one. UC keeps order.
// So a request whose predecessor is missing shows that the predecessor is lost. The worker executes
// the lost request when the client repeats it, after the requests that followed it. So a loss
// changes the order. Requests in flight together have no guaranteed order, unless the client's join
// asks for it: then the worker waits for the lost request.
//
// # Answers
//
// The payload of an answer is the value alone. In the immediate, bits 0–2 are the status and bits
// 3–31 the sequence. A value must fit one datagram, so a server refuses values longer than its
// device's MTU.
//
// # Windows
//
// A list leaves when it is full and all of it fits the window. With a window of one list, the
// client therefore stops and waits, as the original does. With smaller lists and a larger window,
// both sides work at the same time. A full list may wait in the client while the window is in
// flight.
//
// # Polling
//
// A pass takes all present requests, at most [dpukv/kvs/partition.Depth], and executes them as one
// batch. This hides memory latency. The original takes one slot of each client per pass, so its
// batch never exceeds the number of clients: see Config.Faithful. A worker without work spins, then
// yields its CPU at each turn, then sleeps.
//
// # Device events
//
// Both ends listen to the events of their devices, off the path of requests: a port that goes down,
// a queue that overruns. The error of a failed run names the events since its start, including
// those at the server if it still answers ([Remote.Events]). The error of a failed server names
// them too. A successful run reports the serious events as warnings, from [Remote.Warnings] and the
// server's [kvs.Stats].Warnings. The server's list begins with the first client that has slots.
//
// # The side channel
//
// The side channel is a sequence of frames both ways. All numbers are little endian, and each frame
// has version and magic:
//
//	byte 0        8       12        13     14      16
//	    | magic  | bytes | version | kind | zero  | JSON of so many bytes |
//
// A connection owns its slots while its side channel is open. So the slots of a client that dies
// become free for others. A client that writes an illegal request receives a failure frame there
// and is disconnected. The server checks a client's endpoints ([verbs.Check], unicast addresses,
// numbers that fit) before it allocates anything for the client.
//
// # What a bad client can do
//
// There is no authentication: anyone who reaches the server can read, write and delete every key,
// and can occupy all slots. Apart from that, a misbehaving client ends only its own connection:
//
//   - The worker checks a whole slot before it uses it. It loads the control word once, and all
//     lengths come from that word. Operation, lengths and the worker that owns the key's hash must
//     be right. A repeated request may differ only in its attempt. Key and value may change while
//     the worker reads them, which spoils only the item stored under them. The worker ends the
//     connection at the first illegal word.
//   - If the device does not take an answer, or completes it with an error, the server ends that
//     client's connection. A flushed completion, or a failure that names no work request, ends the
//     worker, because the queue pair or the device is lost for all. One bad request may bring a
//     NIC's queue pair into that state; the checks of a join are there to prevent it.
//   - If the device does not free a client's slots when the client leaves, the server gives them
//     up. No other client gets them, and they still count against --max-clients.
//   - The server survives errors of Accept. It keeps one spare descriptor to refuse a connection
//     with a reason: [dpukv/internal/admission].
//
// The server enforces and reports these limits of a client:
//
//	slots             --max-clients × threads × window, rounded up to a power of two, × (slot bytes + 9)
//	connections       --max-connections, by default four for each client, at most 3/4 of ulimit -n
//	memory of one     67 KiB + 13 KiB for each worker, beside its slots
//	hello             must begin within 5 s
//	a frame           must be complete within 5 s of its first byte
//	a frame's body    256 bytes; of a join 1 KiB + 4 KiB for each worker. Memory grows with the bytes
//	                  that have arrived
//	an answer         must be taken within 5 s
//	asks              one answer in 100 ms for each connection; one look at the workers in 5 ms
//	joins             one at a time
//	silence           60 s without slots; after that the connection may be closed for another, once
//	                  3/4 of the connections are in use
//
// The facts contain the memory of all clients (max_client_bytes). A server that could need more
// than its machine has does not start. These risks remain:
//
//   - Slots and connections are first come, first served. A client that holds all of them keeps
//     others out.
//   - A client may keep its slots full. It gets as many turns as any other.
//   - Answers go to the address in a join, which need not be the client's own.
//   - Over shm, processes of one user map each other's memory, and only a well-behaved device
//     respects its regions. A hostile process can write to all memory of the server's device.
//   - Over softroce on an unprotected network, anyone who knows or guesses a connection's numbers
//     can forge packets: see [dpukv/verbs/softroce].
//   - Keys with deliberately colliding hashes make long chains, which slow down all clients: the
//     server does not verify hashes.
//
// TestSimulation checks this. TestPutBack puts each fixed fault back, and the simulation finds it.
package herd
