// Package ovs knows Open vSwitch: the commands that set up a switch with one bridge between two
// ports, the rules that drop packets in it, and what its programs print of their counters.
//
// There are two kinds of [Switch]. One of our own has its sockets, PIDs, logs and its database in a
// folder, so that the system's Open vSwitch is not touched. The system's is the only one where a
// BlueField's Open vSwitch owns the hardware.
package ovs
