// Package placement runs a sweep: what runs where, in which order, and what to do when it goes wrong.
//
//	sweep file ─ParseSweep─▶ Sweep ─Points─▶ []Point ─┐
//	                           │                       ├─NewPlan─▶ Plan ─Run─▶ run folder (package results)
//	testbed file ─ParseTestbed─▶ Testbed ─────────────┘              │
//	                                                                 └─DryRun─▶ what it would do
//
// A [Sweep] is a product of axes: every value of each is combined with every value of the others,
// and each combination is measured several times. A [Testbed] names the machines, and
// a placement ("CH-SH") says which of them has the client and which the server. [NewPlan] refuses
// what cannot be had, with the place in the file, before anything starts. [Plan.Run]
// measures the points that the run folder does not have yet; so continuing an
// interrupted sweep is running it again.
//
// # Processes
//
// Each point has a server and a client process of its own, so that none inherits another's memory or
// connections. They are the same binary as the orchestrator, started with the subcommand node; a launcher
// turns a node and that command into the one that gets it to run there. The orchestrator talks with
// them in JSON lines over their stdin and stdout, and [RunNode] is their side of it. Nothing
// listens on a port but the stores.
//
//	orchestrator                  server                        client
//	     │◀──────────── hello ──────┤                             │   version, digest of the binary, machine
//	     ├── configure ────────────▶│ pins itself, starts         │
//	     │◀──────────── ready ──────┤ accepts load                │   address, facts
//	     │◀───────────────────────────────────────── hello ───────┤
//	     ├── configure ──────────────────────────────────────────▶│ dials, stores every key,
//	     │◀────────────────────────────────────── progress … ─────┤ asks for every key
//	     │◀───────────────────────────────────────── ready ───────┤
//	     ├── go ─────────────────────────────────────────────────▶│ warms up, measures
//	     │◀────────────────────────────────────── progress … ─────┤
//	     │◀───────────────────────────────────────── result ──────┤   point, histogram log
//	     ├── stop ───────────────────────────────────────────────▶│ ends
//	     ├── stop ─────────────────▶│ ends                        │
//
// A line is {"type":"ready","body":{…}}. A node that cannot do what it is asked answers with failed,
// which says why, and ends. Neither side waits without a limit.
//
// # No process stays behind
//
// A node ends as soon as its stdin does, whatever it is doing: that needs no working orchestrator, only
// a dead one, and holds through ssh. Local nodes are killed by the kernel besides (Pdeathsig) when
// the orchestrator's thread that started them goes. Otherwise the orchestrator asks a node to stop, then
// sends SIGTERM, then SIGKILL, and only ever to a process it started itself.
//
// # What can go wrong
//
//	a point fails             it is recorded as failed, with the reason; the sweep goes on, and its
//	                          error at the end counts the failures
//	three in a row do not     the sweep ends: a binary that cannot run fails every point
//	even start, alike
//	Ctrl-C, SIGTERM           the point at hand is dropped, the ones before are in the folder, and the
//	                          error is the command that continues
//	the folder takes no more  the same
package placement
