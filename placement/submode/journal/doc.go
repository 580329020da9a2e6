// Package journal keeps on a node what has to be taken back there, so that whoever comes next can
// undo what a killed orchestrator left.
//
// A journal is a folder on the node:
//
//	about    one JSON line: the Header
//	undo     a step.UndoRecord a line, written before its step is run; the last is undone first
//	…        sockets, PIDs, logs and configuration of the programs that were started
//
// Where a folder lies depends on what it belongs to:
//
//	/run/dpukv/submode/net-MARK     a network namespace: gone after a restart, as namespaces are
//	/var/lib/dpukv/submode/card     a BlueField, whose Open vSwitch keeps its database: it stays
//
// # Marks
//
// A folder belongs to one instance of a network namespace. It is found by a mark in the namespace:
// a second name (altname, Linux 5.5) of its loopback, dpukv-MARK. Each port that is set up has such
// a name, too. The kernel forgets a mark with the namespace or the interface. Their inodes, indices
// and names it gives away again. So:
//
//   - A namespace without the mark has nothing to undo, whatever its inode. There is a warning of a
//     folder from an earlier namespace with the same inode.
//   - What was set on a port is taken back only on the interface that has the mark, not on another
//     one of that name.
//   - A marked namespace without its folder has nothing to undo.
//
// A card's folder names the machine and the card, and is refused on another.
package journal
