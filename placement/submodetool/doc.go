// Package submodetool applies, verifies and undoes one submode by hand: "dpukv testbed submode". A
// sweep does the same for each point.
//
// The machines of a testbed of namespaces stay until undo. A file below /run/dpukv/lab remembers
// them, and a lock on the testbed's file keeps two tools apart.
package submodetool
