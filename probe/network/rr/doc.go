// Package rr measures request-response over TCP: a client sends a message, and the server sends it
// back. It is what a store costs without the store.
//
// # What is measured
//
// A message has 1 B to 64 KiB. A connection has one message in flight, as in netperf's TCP_RR. A
// transaction is a message and its whole answer. The server answers only whole messages. The client
// compares each answer with its message, byte for byte. It does so after it has read the clock.
//
//	rate 0   closed loop: each connection sends its next message after the last answer
//	rate R   open loop: R messages a second in all, as a Poisson process; the oldest free
//	         connection takes the next message
//
// A closed loop of one connection is netperf's TCP_RR and sockperf's ping-pong, except that netperf
// reports the transactions alone and sockperf halves the time. Here a latency is the full time of
// a transaction. An open loop is sockperf's under-load with Poisson arrivals, and with a bound:
// messages wait in the client while all connections are taken.
//
// # Latency
//
// A closed loop counts a latency from the send, in the interval of the answer. Only answers within
// the measurement period count. An open loop counts from the intended send, in the interval of the
// intended send. So a server that stalls delays no message's clock. A second histogram counts from
// the actual send. The client takes late answers for up to a second after the period. After that, a
// message without an answer counts with its age, and the outcome has a warning.
//
// A message is late if no connection of its thread was free at its intended time. Other delays
// between intended and actual send are the client's own: they are its lag.
//
// # Threads and system calls
//
// Each end has a thread for each of its CPUs, but not more threads than connections. A thread is
// locked and pinned, and makes its system calls itself ([dpukv/internal/rawsocket]). A thread with
// one connection waits in recv: one send and one recv a transaction. The client does so in a closed
// loop only. Other threads wait in epoll. An open loop spins through the last microseconds before
// an intended send. No message allocates, takes a lock or asks a map.
//
// # Protocol
//
// Numbers are little-endian. A connection begins with a hello of 16 bytes:
//
//	magic "dpukv-rr" | version u32 = 1 | bytes of a message u32
//
// The server answers with two bytes: 0, or the length of a reason. The reason follows, and the
// server hangs up. After a welcome, each message has the agreed bytes in either direction.
//
// # Limits
//
// The server has its size of messages and its number of connections from its own task. A client
// cannot make it allocate more. A connection has 5 s for its hello, in a goroutine of its own. Then
// it has 30 s for each message and each answer that has begun. It may be idle for a minute longer
// than the task takes. A connection gets one read and one write in its turn. A flood of connections
// displaces those that have not said hello, the oldest first. A client that says hello and holds
// all connections keeps others out: each point has a server of its own.
package rr
