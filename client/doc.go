// Package client puts load on a store's server and measures it. [Run] takes a [Config] and a
// [kvs.Remote]. It returns a [results.Point] with everything that the client knows of the point.
//
// # Phases
//
//	open     one session a thread
//	preload  every key is set once; the threads share the keys
//	verify   GETs of up to 2²⁰ keys, spread evenly, each value checked; too few
//	         hits for this kind of store, or an old value, end the run
//	overlap  with compute: how much of a batch's time it hides
//	ready    the caller may hold the load back, to start several clients at once
//	measure  all threads start together: warm-up | measurement period | cool-down | drain
//	hash     if asked for: what the load costs with hashing done beforehand
//
// The cool-down is for several clients on one server. The load of each goes on, unrecorded, until
// the measurement period of every client is over. A client alone has none.
//
// A thread of load is a goroutine locked to its thread, which may be pinned to a CPU. Each has its
// own session, generator of operations, and recorder. The threads share only the flag that ends the
// run, and they allocate nothing per operation.
//
// # Keys and values
//
// Key i is the number i. A value is a function of its key and a version. So the client checks every
// answer in full without a record of what it sent: the request's cookie brings the key back. The
// answer to a GET must be a value of that key, of the right length, to the last byte.
//
// A trace's key has one thread, and one connection: the sessions keep its order. So each answer
// tells what the next one may be, and the thread follows the key by the answers: package follow.
// A key that is gone is an error in mode store. Otherwise as many may be as the server evicted.
//
// Point.Errors counts wrong answers and failed operations of every phase. A single one fails the
// point. A key that is not found is a miss. The server's mode sets the share of misses that a run
// may have.
//
// # Closed and open loop
//
// A closed loop (RateOps 0) keeps the window of every connection full, so that the server sets the
// pace. An open loop follows a [Pacer], which depends on time only. Batches of operations are due
// at times fixed beforehand. A batch leaves when it is due, or as soon afterwards as the windows
// allow. A frame leaves when it is full, or when nothing more is due; none waits to be filled.
//
// # Batches
//
// A batch is the set of operations that an application sends at once: those of one page, one
// transaction, or one event loop's turn. So the open loop schedules batches, not operations. The
// operations of a batch share one intended time. A server meets them as a burst: with batches of
// 64, the 64th operation waits for 63 others even on an idle server.
//
// With arrivals constant, a thread's batches are due at equal distances, and the threads take
// turns. This is the most regular load of its rate: it queues only above the server's capacity. Of
// several clients, the seed decides the phase. At 90 % load, two of them and a fixed service of
// 100 µs, that phase decides between a p99 of 100 and of 200 µs.
//
// With arrivals etc, the gaps of each thread are those between the requests to Facebook's ETC: a
// generalized Pareto distribution, which varies more than the exponential one.
//
// With arrivals poisson, the default, the gaps between a thread's batches are exponential. The
// batches of all threads together are then a Poisson process at the rate divided by the batch.
// Requests of many independent users arrive like that: gaps vary, and batches queue even at half
// load. The operations themselves are no Poisson process, unless a batch has one operation. The
// seed decides the gaps, and so the number of batches due in the measurement period: n ± √n. With
// one operation a batch, the same service and 90 % load, the theory of queues (M/D/1) gives a p99
// of 2,290 µs. TestArrivalsDecideTheTail holds the schedule to it.
//
// # Two latencies
//
// A latency ends when the answer of the operation's batch arrives. It starts at
//
//   - the intended send, in Point.Latency: a stall delays operations that become due meanwhile and
//     are not sent yet, and each of them shows the delay;
//   - the actual send, in Point.Actual: the time of the server and the path.
//
// In a closed loop no operation has a due time, and both latencies start at the actual send. The
// operations of one batch share a latency, so they are not independent samples. Where the number of
// samples matters, the client counts batches.
//
// # Stages
//
// Point.Stages splits the mean of Point.Latency. The sessions sum the time from the actual send to
// the write ([kvs.Traffic].QueuedNs), and the server sums the time in it
// ([kvs.WorkerStats].ResidenceNs). Both sums weigh a batch by its operations, as the histograms do.
// Their differences over the measurement period are two stages; the rest is what remains.
//
// # Counts
//
// In a closed loop, Point.Ops counts the operations answered within the measurement period, even if
// sent earlier. What is in flight at its end for longer than any answer took, counts in
// Point.UnansweredOps, and in the latencies with its age: no latency would else have the stall of a
// server that stops before the end. Younger requests would add nothing but their youth.
//
// In an open loop, an operation belongs to the period in which it was due, whenever it is answered.
// Otherwise a backlog of the warm-up would raise throughput and latency:
//
//	due in the period and answered in it    Ops, both latencies
//	due in it and answered after it         LateOps, both latencies
//	due in it and not sent by its end       UnsentOps, Point.Latency with its age
//
// With Load.Requests, the period ends with the last answer to so many operations ([quota.Quota]).
// In a closed loop these are the first that are sent in it, in an open loop the first that are due
// in it. They alone count: none of them is late or unsent, and their number is exact. A thread
// without any left keeps up the load until all are answered.
//
// So late answers do not make up for a server that falls behind. An operation is unsent if the
// windows were full when the period ended. It would have waited for longer, so some percentiles are
// lower bounds: Point.LatencyLowerBoundFrom.
//
// Point.ClientLag has the delay from the due time of a batch until the client looks for it. While
// a full window keeps batches back, the delay is the server's, or the path's.
//
// CPU times also cover the measurement period. Per operation, they count all answers in the period,
// as the CPUs worked for all of them. The threads read their own clocks. Samples
// from outside the threads cover both processes, and are scaled to the measurement period. A client
// in an open loop spins before a send that is less than 50 µs off, and its CPU time includes that
// spinning. It sleeps through longer pauses.
//
// ClientHashShare is the hash function's share of the samples of the process's CPU time (Go's CPU
// profile, over the measurement period). Loads that hash nothing have the profile, too: it takes 2
// to 3 ms of CPU time a second, for all stores alike. With the merging of histograms and the
// garbage collection, it was 6 to 10 ms on a machine with other load. This work shares the CPUs of
// the load's threads. Point.ClientCPUNsPerOp includes it, Point.ClientCPUShare does not. With fewer
// than 100 samples the share is an estimate: the operations times the cost of one hash by
// [hashbench.Cost]. ClientHashShareBy names the method. ClientHashShareCheck, if asked for, is the
// CPU time per operation that the client's threads save where hashes come from a list. It is below
// the sampled share where the CPU hashes while it waits for something else.
//
// Three events end a run early: an answer that takes longer than the time-out, a broken connection,
// and the end of the context. The error includes the remote's observations since the run began
// ([kvs.Observed]), such as a port that went down. With the server on the same machine, the error
// says whether the kernel killed processes for lack of memory in that time.
//
// # Traffic
//
// ClientMoved has the kernel's counts of the client's sockets, and a verbs device's counts of its
// packets ([kvs.Moved]). It covers the sessions from connect to close with their handshakes, and
// the remote's connection for counters. It excludes connections that only find out the server's
// protocol, or ask for the reason of a failure.
//
// ClientMovedLoad begins when all keys are stored and found, and ends when every request is
// answered. Nothing is in flight at either time: over TCP, one end receives exactly the bytes that
// the other end sent. ClientMovedWindow lies between two samples that are taken under load, from
// outside the threads. A NIC's port counts the traffic of all its users, so two clients on one port
// both have its counts.
//
// # Reconnects
//
// With Load.ReconnectEvery, a thread waits for all answers after so many operations, and opens
// another session. In an open loop, operations become due meanwhile. They wait as they would for a
// full window, so the delay is not the client's own. In a closed loop, no latency has the time.
//
// # Compute
//
// With Load.Compute, a thread flushes after each batch, does work of that length, and then takes
// the answers that have come. Package [dpukv/client/compute] has the work, and the measurement of
// the overlap. The parts of a compute end with the warm-up and the measurement period, so its CPU
// time is exactly that of the period. In an open loop, the schedule stays: a batch that is due
// during a compute leaves after it, and the delay is the client's own. At the end of the
// measurement period, such a batch is unsent.
//
// Point.ClientCPUNsPerOp and Point.ClientCPUShare include the compute. Point.ClientBusyShare does
// not.
//
// # Warnings
//
//   - in flight: in a closed loop, throughput × mean latency is less than 90 % or more than 102 %
//     of what the windows hold. The client took its time from answers to sends, or a stall crosses
//     an end of the measurement period.
//   - few requests: in a closed loop, more requests of the warm-up are in flight than a hundredth
//     of those that count. They delay the first of these.
//   - client-bound: the client's CPUs were busy, so a faster server would look the same. Where the
//     server was full too, or other clients had room, it says so ([results.Point.SayWhoIsFull]).
//   - compute-bound: the client's CPUs were busy, though not with the store. The application sets
//     the pace.
//   - compute slowed: a compute took longer than alone. Others used the CPUs, or their clock
//     changed.
//   - spinning: the share of the client's CPU time that the load did not need.
//   - client threads share CPUs with each other or with the server: they slow each other down.
//   - disturbed: other programs, or a hypervisor, had more than a tenth of the time of a pinned
//     side's CPUs ([results.OthersShare]).
//   - the network lost or delayed packets: in the measurement period, TCP retransmitted more than a
//     thousandth of the client's packets ([results.LostShare]).
//   - the network lost or reordered packets: more than that share of the server's packets came out
//     of order. In both cases the latency of the waiting operations includes the delay. Points with
//     1 % loss in either direction, between emulated machines, have these warnings.
//   - requests sent again: HERD's requests without an answer in time. Those of a replay may be
//     answered in another order, and a thread then follows its keys no more.
//   - fills without a size: the trace did not tell the size of what a GET missed.
//   - only a backlog answered: no answer in the measurement period was to an operation due in it.
//     The point fails, and a search knows that its rate is beyond the capacity.
//   - target rate missed: all answers in the measurement period are fewer than the rate says.
//   - latencies are lower bounds: operations that were due and never sent count with their age, as
//     do those that a closed loop had in flight at its end for longer than any answer took.
//     Their latency would have been higher.
//   - schedule late: the client lacked CPU time, so that its own lag is a good part of the latency.
//     Schedule held up: its windows were full. In both cases the latency from the intended send
//     includes the delay.
//   - server counters that contradict the assumptions about the server, and serious events of its
//     device: [kvs.Stats].Warnings.
//   - serious events of the client's device: [kvs.Observed].
//   - cool-down cut short: the load ended before the other clients had measured.
//   - too short: too few batches lie beyond a percentile to support it.
//   - latencies outside the histograms' range: they count as the nearer end of the range.
package client
