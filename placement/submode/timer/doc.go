// Package timer undoes a submode after a time, on the node itself. So a card whose datapath cut off
// its own ssh connection comes back without anybody.
//
// Before its first change, apply runs [Command] on the node. That starts a process which outlives
// the connection:
//
//	orchestrator                     node
//	    ├─ undo-after --for 5m ────────▶│ starts itself detached, waits for its PID file, ends
//	    │                               ├─ undo-after --wait: writes FOLDER/timer.pid, sleeps
//	    ├─ steps …                      │
//	    ✗ gone                          ├─ after 5m: undoes what the journal says
//
// On a BlueField with systemd, systemd-run starts it, as systemd may end all processes of a login.
// Elsewhere it is a session of its own, in the network namespace of the submode.
//
// An undo from elsewhere, also that of the next apply, ends the process first (package journal). A
// timer whose PID file is not its own any more does nothing.
package timer
