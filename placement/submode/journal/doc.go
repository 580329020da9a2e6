// Package journal records on a node what has to be undone there. So any later process can undo the
// changes of a killed orchestrator.
//
// A journal is a folder on the node:
//
//	about    one JSON line: the Header
//	undo     a step.UndoRecord a line, written before its step is run; the last is undone first
//	timer.*  the process that undoes by itself after a time, if that was asked (package timer)
//	…        sockets, PIDs, logs and configuration of the programs that were started
//
// The owner of a folder decides where it lies:
//
//	/run/dpukv/submode/net-MARK     a network namespace: gone after a restart, as namespaces are
//	/var/lib/dpukv/submode/card     a BlueField, whose Open vSwitch keeps its database: it stays
//
// # Marks
//
// A folder belongs to one instance of a network namespace. A mark in the namespace identifies the
// folder: a second name (altname, Linux 5.5) of its loopback, dpukv-MARK. Each port that is set up
// has such a name, too. The kernel forgets a mark with the namespace or the interface, but it
// reuses their inodes, indices and names. So:
//
//   - A namespace without the mark has nothing to undo, whatever its inode. A folder from an
//     earlier namespace with the same inode causes a warning.
//   - A port's settings are undone only on the interface with the mark, not on another one of that
//     name.
//   - A marked namespace without its folder has nothing to undo.
//
// A card's folder names the machine and the card. It is refused on another card.
package journal
