// Package node is the process on a node that becomes a server or a client, and the orchestrator's
// end of the connection to it.
//
// The process is this binary with the subcommand node, or another [Build] of it. It calls [Run].
// The orchestrator sees it as a [Process]. They exchange JSON lines over stdin and stdout; only the
// stores listen on ports. A line is {"type":"ready","body":{…}}.
//
//	orchestrator                  server                        clients
//	     │◀──────────── hello ──────┤◀──────────────── hello ─────┤   version, digest of the binary, machine
//	     ├── configure ────────────▶│ pins itself, starts         │
//	     │◀──────────── ready ──────┤ accepts load                │   address, facts
//	     ├── configure ──────────────────────────────────────────▶│ the first client stores every key,
//	     │◀────────────────────────────────────── progress … ─────┤ each client asks for every key
//	     │◀───────────────────────────────────────── ready ───────┤
//	     ├── count ────────────────▶│                             │
//	     │◀──────────── counted ────┤ what its sockets moved      │
//	     │                          │                             │   a neighbour, if there is one, works from
//	     │                          │                             │   before go until after measured
//	     ├── go ─────────────────────────────────────────────────▶│ once all are ready: warm up, measure
//	     │◀────────────────────────────────────── progress … ─────┤
//	     │◀────────────────────────────────────── period over ────┤   several clients: the load goes on
//	     ├── end load ───────────────────────────────────────────▶│ once the periods of all are over
//	     │◀───────────────────────────────────────── measured ────┤   every request is answered
//	     ├── count ────────────────▶│                             │
//	     │◀──────────── counted ────┤ what its sockets moved      │
//	     ├── release ────────────────────────────────────────────▶│ closes its connections
//	     │◀───────────────────────────────────────── result ──────┤   point, histogram log
//	     ├── stop ───────────────────────────────────────────────▶│ ends
//	     ├── stop ─────────────────▶│ ends                        │
//
// A point with halves has more processes. They get configure and answer ready like a server, and
// end with stop after the processes that use them. Each gets the address that the one before it
// told.
//
//	orchestrator        store half          engine           proxy           client
//	     ├─ configure ──────▶│                 │               │               │   workers, without a network
//	     │◀────────── ready ─┤                 │               │               │   address of its side channel
//	     ├─ configure ────────────────────────▶│               │               │   joins the store half
//	     │◀──────────────────────────── ready ─┤               │               │   address for clients
//	     ├─ configure ────────────────────────────────────────▶│               │   may connect to the server only
//	     │◀──────────────────────────────────────────── ready ─┤               │   address of its side channel
//	     ├─ configure ────────────────────────────────────────────────────────▶│   joins the proxy
//
// A count goes to the engine. The counters of a store half and of a proxy reach the client through
// the store's own protocol.
//
// The process of a neighbour gets configure, answers each count, the first without a question, and
// ends with stop. It begins after the clients are ready, and ends before release.
//
// A node that cannot do its task answers with failed, which has the reason, and ends.
// Neither side waits without a limit: see [Timeouts]. "dpukv testbed check" sends inspect and reach
// in place of configure.
//
// # No process stays behind
//
// A node ends as soon as its stdin ends, whatever it is doing. So it ends even with a dead
// orchestrator, and also through SSH. Behind a network that was cut, a node ends a minute
// after the orchestrator's last sign of life. The kernel also kills a local node (Pdeathsig) when
// the orchestrator's thread that started it ends. Otherwise the orchestrator asks a node to stop,
// then sends SIGTERM, then SIGKILL. It sends them to no process but its own.
package node
