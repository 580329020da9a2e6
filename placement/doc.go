// Package placement runs a sweep: what runs where, in which order, and what to do when it goes wrong.
//
//	sweep file ─ParseSweep─▶ Sweep ─Points─▶ []Point ─┐
//	                           │                       ├─NewPlan─▶ Plan ─Run─▶ run folder (package results)
//	testbed file ─ParseTestbed─▶ Testbed ─────────────┘              │
//	                                                                 └─DryRun─▶ what it would do
//
// A [Sweep] is a product of axes: every value of each is combined with every value of the others,
// and each combination is measured several times. A [Testbed] names the machines, and a [Placement] ("CH-SH") says
// which of them have the clients and which the server:
//
//	placement  clients                       server
//	CH-SH      host of the client side       host of the server side
//	CD-SH      DPU of the client side        host of the server side
//	CDH-SH     both of the client side       host of the server side
//	CH-SD      host of the client side       DPU of the server side
//	CD-SD      DPU of the client side        DPU of the server side
//	L-CD-SH    the DPU in the server's host  host of the server side
//
// These are the study's (its Table 2); a testbed file may have more, by the names of its nodes. [NewPlan] refuses
// what cannot be had, with the place in the file, before anything starts. [Plan.Run]
// measures the points that the run folder does not have yet; so continuing an
// interrupted sweep is running it again.
//
// # Processes
//
// Each point has a server and client processes of its own, so that none inherits another's memory or
// connections. They are the same binary as the orchestrator, started with the subcommand node; package launch
// turns a node and that command into the one that gets it to run there, and copies the binary to machines that
// lack it; package emulate makes the machines that a testbed wants made. The orchestrator talks with
// the processes in JSON lines over their stdin and stdout, and [RunNode] is their side of it. Nothing
// listens on a port but the stores.
//
//	orchestrator                  server                        clients
//	     │◀──────────── hello ──────┤◀──────────────── hello ─────┤   version, digest of the binary, machine
//	     ├── configure ────────────▶│ pins itself, starts         │
//	     │◀──────────── ready ──────┤ accepts load                │   address, facts
//	     ├── configure ──────────────────────────────────────────▶│ the first one stores every key,
//	     │◀────────────────────────────────────── progress … ─────┤ each asks for every key
//	     │◀───────────────────────────────────────── ready ───────┤
//	     ├── count ────────────────▶│                             │
//	     │◀──────────── counted ────┤ what its sockets moved      │
//	     ├── go ─────────────────────────────────────────────────▶│ once all are ready: warm up, measure
//	     │◀────────────────────────────────────── progress … ─────┤
//	     │◀───────────────────────────────────────── measured ────┤   all is answered
//	     ├── count ────────────────▶│                             │
//	     │◀──────────── counted ────┤ what its sockets moved      │
//	     ├── release ────────────────────────────────────────────▶│ closes its connections
//	     │◀───────────────────────────────────────── result ──────┤   point, histogram log
//	     ├── stop ───────────────────────────────────────────────▶│ end
//	     ├── stop ─────────────────▶│ ends                        │
//
// A line is {"type":"ready","body":{…}}. A node that cannot do what it is asked answers with failed,
// which says why, and ends. Neither side waits without a limit. [CheckTestbed] speaks inspect and reach instead
// of configure.
//
// # Several clients
//
// They have the same workload and do different operations of it, each with client_threads threads and its part of an
// offered rate. All are told to go at the same time. Each says when it began, and how far apart they were is
// measured by the clock here: the nodes' own are only looked at for nonsense. Counts are added up, histograms
// merged, and each client's share is kept in the point.
//
// # CPUs
//
// Nodes say which CPUs they may use, and on which boot of which kernel. Processes of one kernel share its CPUs out;
// one that has them to itself takes what it has threads for. An emulated machine gets the time of as many of its
// profile's cores as it has threads.
//
// # No process stays behind
//
// A node ends as soon as its stdin does, whatever it is doing: that needs no working orchestrator, only
// a dead one, and holds through ssh. Behind a network that was cut, it ends a minute after the orchestrator's last
// sign of life. Local nodes are killed by the kernel besides (Pdeathsig) when
// the orchestrator's thread that started them goes. Otherwise the orchestrator asks a node to stop, then
// sends SIGTERM, then SIGKILL, and only ever to a process it started itself.
//
// # What can go wrong
//
//	a point fails             it is recorded as failed, with the reason; the sweep goes on, and its
//	                          error at the end counts the failures
//	a connection or machine   the same, within seconds, with the node's name
//	is lost
//	what forwards on a DPU    the same; the reason begins with the DPU's node and what is missing of
//	breaks                    its datapath
//	a process dies            the same; the reason begins with whose it was, and says whether the
//	                          kernel ended it for want of memory
//	three in a row do not     what needs the node that did not start is left out; what does not
//	even start                is measured
//	Ctrl-C, SIGTERM           the point at hand is dropped, the ones before are in the folder, and the
//	                          error is the command that continues
//	the folder takes no more  the same
package placement
