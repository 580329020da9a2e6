// Package proxy is the network half of MICA's clients, in a process of its own. It runs on the
// client's DPU, and so takes the work of TCP off the application's host.
//
//	application                      proxy                        server
//	session ── lane: frames ──▶ pump thread ── TCP: frames ──▶ worker
//	        ◀── lane: answers ──            ◀── TCP: answers ──
//
// Each connection of a session is a pair: a lane of [dpukv/verbs/mqueue] and a TCP connection to a
// worker. The application owns the lane's memory and asks, so it makes no system call. A message is
// one frame. The proxy moves frames in both directions, whole and in order, and does not read
// requests. The code of a message to the application is 0 for an answer. [CodeEnded] comes with a
// text: why the TCP connection has ended.
//
// # Side channel
//
// A client connects to the proxy's TCP port and sends one [hello]. A hello that asks for a report
// gets a [Report], and the connection ends. A hello that asks for a pair names the port of a
// worker. The proxy connects to it and greets it, then replies. The client offers its lane on the
// same connection, which stays open as long as the lane.
//
// # Threads
//
// A pump thread has its own pairs and its own CPU. It polls its lanes, and asks the kernel for
// events of its sockets in every turn in which a server owes it an answer. Without work it spins,
// then yields, then naps. The time without work is a counter of its own. A pair allocates nothing
// and takes no lock once it is joined. All requests that wait in a lane leave in one system call.
//
// # What a bad client can do
//
// The side channel has no authentication: see docs/SECURITY.md. A client names no host: the proxy
// connects to the ports of one server, which it knows from its start. A connection has a place
// among [Config.MaxConnections], a time limit for its hello, and one for the server's welcome. The
// memory of a lane is limited, and that of all lanes by [Config.LaneBytes], which counts queues and
// buffers, too. The proxy starts only if that much memory is there. The proxy checks that each
// message is one frame. A pair whose client breaks a rule ends, and the others go on.
package proxy
