// Package ovs knows Open vSwitch: the commands that set up a switch with one bridge between two
// ports, the rules that drop packets in it, and the output of its programs about their counters.
//
// There are two kinds of [Switch]. Our own switch has its sockets, PIDs, logs and database in a
// folder, and the system's Open vSwitch stays untouched. On a BlueField, the system's Open vSwitch
// owns the hardware and is the only one.
package ovs
