// Package path has the way between the clients and the server of a trial, in its submode: the
// BlueFields at its ends, the datapath on it, the evidence of what carried the load, and what to
// blame when it breaks.
//
// # Cards
//
// Before a point, the mode of each BlueField in the hosts of client and server is read. A card in
// another mode than the submode's fails the point. An unknown mode is a warning, or an error if the
// testbed names the card's node. In submode off-path-sf, the packets at the Arms' cores are counted
// too: many of them fail the point.
package path
