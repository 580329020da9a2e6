// Package client puts load on a store's server and measures it: [Run] takes a
// [Config] and a [kvs.Remote], and gives back a [results.Point] with everything
// that the client knows of it.
//
// # Phases
//
//	open     one session a thread
//	preload  every key is set once; the threads share the keys
//	verify   GETs of up to 2²⁰ keys, spread evenly, each value checked; too few
//	         hits for this kind of store, or an old value, end the run
//	ready    the caller may hold the load back, to start several clients at once
//	measure  all threads start together: warm-up | measurement period | drain
//	hash     if asked for: what the load costs with hashing done beforehand
//
// Each thread is a goroutine locked to its thread, pinned to a CPU if asked for, with a session, a
// generator of operations and a recorder of its own. Nothing is shared while it runs but
// the flag that ends it, and nothing is allocated for an operation.
//
// # Keys and values
//
// Key i is the number i; a value is a function of its key and a version. So every
// answer can be checked in full without remembering what was sent: the request's cookie brings the
// key back. A GET's value must be one of its key, of the right length, to the
// last byte. An answer that is wrong in any phase, or that says an operation failed, is counted in
// Point.Errors, and one fails the point. A key that is not found is a miss, which
// the share that the server's mode allows decides on.
//
// # Closed and open loop
//
// A closed loop (RateOps 0) keeps the window of every connection full, so that
// the server sets the pace. An open loop follows a [Pacer], which knows time only: batches
// of operations are due at times fixed beforehand, and leave when they are due or as
// soon after as the windows allow. Each frame leaves when it is full, or when nothing
// more is due; none waits to be filled.
//
// # What arrives at once
//
// A batch is what an application sends at once: the operations of one page, one transaction, one
// event loop's turn. So the open loop schedules batches and not operations, and the operations of
// a batch share one intended time. A server meets them as a burst: with batches of 64, the
// 64th waits for 63 others even where the server is idle otherwise.
//
// With arrivals constant, a thread's batches are due at equal distances, and the threads take
// turns. That is the most regular load of its rate: it queues only above what the server can do.
// With arrivals poisson, the gaps between a thread's batches are exponential, so that the batches
// of all threads together are a Poisson process at the rate divided by the batch. That is how
// requests of many independent users arrive: gaps vary, and batches queue even at half load. The
// operations are then no Poisson process, unless a batch has one operation. The seed decides the
// gaps, and with them the number of batches that are due in the measurement period: n, give or
// take √n.
//
// # Two latencies
//
// A latency ends when the answer of the operation's batch is in. It starts at
//
//   - the intended send, in Point.Latency: a stall delays operations that are due meanwhile and not
//     even sent yet, and it shows for each of them;
//   - the actual send, in Point.Actual: what the server and the path took.
//
// In a closed loop nothing is due at any time, and both are the latter. The operations of
// one batch share a latency, so that they are not independent samples; where the number of
// samples matters, batches are counted.
//
// # What counts
//
// Point.Ops are the operations answered within the measurement period, whenever they were sent. In
// an open loop those due in the measurement period but answered after it are Point.LateOps, and
// those due in it but never sent Point.UnsentOps. The histograms hold Ops + LateOps. CPU times are
// of the measurement period too: of the worker threads by their own clocks, of both processes by
// samples from outside the workers, scaled to the measurement period. Those of a client in an open
// loop contain what it spins away before a send that is less than 50 µs off; it sleeps through
// longer pauses.
//
// ClientHashShare is the share of samples of the process's CPU time (Go's CPU profile, over the
// measurement period) that were taken in the hash function. Where there are less than 100 of them
// it is an estimate: the operations times what [hashbench.Cost] measured for one hash;
// ClientHashShareBy says which. ClientHashShareCheck, if asked for, is how much less CPU time the
// client's threads take an operation where hashes come from a list. It is less than the samples say
// where the CPU hashes while it waits for something else.
//
// An answer that is out for longer than the time-out ends the run, as do a connection that breaks,
// and the context. The error also tells what the remote has heard since the run began, if it hears
// anything ([kvs.Observed]): a port that went down. Where the server runs on the same machine it
// says whether the kernel ended processes for want of memory meanwhile.
//
// # What moved
//
// ClientMoved is what the kernel counted of the client's sockets, and a verbs device of its packets
// ([kvs.Moved]): of the sessions, from connect to close, with their handshakes, and of the remote's
// connection for counters. Not in it are connections that only served to find out what the server
// speaks, and those that ask why a run failed. ClientMovedLoad begins when all keys are stored and
// found, and ends when all is answered; nothing is on the way at either time. The samples that
// ClientMovedWindow lies between are taken while the load runs, from outside the workers. A NIC's
// port counts for all who use it, and two clients on one port both have its counts.
//
// # Warnings
//
//   - client-bound: the client's CPUs were busy, so that a faster server would not show.
//   - spinning: what part of the client's CPU time is none of the load's.
//   - client threads share CPUs, or share them with the server: they slow each other down.
//   - disturbed: other programs, or a hypervisor, had more than a tenth of the time of a pinned
//     side's CPUs ([results.OthersShare]).
//   - the network lost packets: TCP sent more than a thousandth of the client's packets again in
//     the measurement period, or as many came out of order ([results.LostShare]). What waited has
//     it in its latency.
//   - requests sent again: HERD's answers that did not come in time.
//   - target rate missed: look at throughput_ops for what was reached.
//   - latencies left out: operations that were due and never sent have none, and would have had the
//     highest.
//   - schedule late: the client did not get to run; held up: its windows were full. Either way the
//     latency from the intended send has the delay in it.
//   - what the server's own counters say against what it was taken for, and serious events of its
//     device: [kvs.Stats].Warnings.
//   - serious events of the client's device: [kvs.Observed].
//   - too short: too few batches lie beyond a percentile for it to mean much, nor do those above
//     it.
//   - latencies out of range: counted as the histograms' nearest end.
package client
