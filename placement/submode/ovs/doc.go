// Package ovs knows Open vSwitch. It has the commands that set up a switch with one bridge between
// two ports, and the rules that drop packets in it. It reads the counters that Open vSwitch's
// programs print.
//
// There are two kinds of [Switch]. Our own switch has its sockets, PIDs, logs and database in a
// folder, and the system's Open vSwitch stays untouched. On a BlueField, the system's Open vSwitch
// owns the hardware and is the only one.
package ovs
