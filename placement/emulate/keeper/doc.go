// Package keeper holds network namespaces, the virtual cables between them, and control groups that
// limit CPU time. It holds them exactly as long as they are needed.
//
// The keeper is a process of its own, because only the end of a process releases everything for
// certain. The owner of a lab starts it, and sends requests over its standard input and output
// (net/rpc with JSON). The owner closes that input when done:
//
//	Lab.Up        a Plan; replies with what there is (Held)
//	Lab.Counters  of every interface, by "space/interface"
//	Lab.Reach     waits until a space reaches an address
//	Lab.SetLink   an interface up or down
//	Lab.SetQuota  the CPU time of a group
//	Lab.Stay      until a signal, though the owner ends
//
// # What ends what
//
//	the owner closes, or dies (kill -9 too)  the keeper's input ends: it waits a moment for the processes in its
//	                                         namespaces, kills the rest, removes the groups, and ends
//	SIGTERM, SIGHUP to the keeper            the same; after Lab.Stay, nothing else
//	kill -9 of the keeper                    the namespaces have no name; they are files open in the keeper, and go
//	                                         with it and the last process in them. A group is removed by the
//	                                         owner's Sweep, or by that of the next keeper
//	kill -9 of both                          processes that don't end with their own standard input stay until that
//	                                         Sweep, or, without groups, for good
//	a failure half-way through Up            the same as the input's end, after the error was sent
//
// A lab's group is called dpukv-lab-NAMESPACE-PID-START after its keeper. NAMESPACE is the inode of
// the PID namespace, and START is the keeper's start time in clock ticks after boot. So the name
// tells a dead keeper from a living one, and both from a new process with a dead keeper's PID.
// Nobody judges a keeper of another container.
//
// # With and without root
//
// Everything here needs only the privileges of a user namespace. An owner without CAP_SYS_ADMIN
// starts the keeper in a user namespace of its own (package emulate). Nothing else changes, except
// that the user often may not make control groups.
//
// # Control groups
//
// cpu.cfs_quota_us (version 1) or cpu.max (version 2) limits CPU time, depending on which version
// has the cpu controller here. A lab's group lies below the keeper's group, so that the keeper's
// limits hold for the lab too.
//
// The keeper's group may refuse children: it is not writable, or version 2's rule applies that a
// group has processes or limited children, not both. Then the next group upwards is used. If that
// group does not delegate the cpu controller yet, the keeper enables it there, and leaves it
// enabled.
package keeper
