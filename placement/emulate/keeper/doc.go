// Package keeper holds network namespaces, the virtual cables between them, and control groups that limit CPU time,
// for as long as somebody wants them, and not a moment longer.
//
// It is a process of its own, because only the end of a process takes things away for certain. The one that wants
// them starts it, asks over its standard input and output (net/rpc with JSON), and closes that input when done:
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
// A lab's group is called dpukv-lab-NAMESPACE-PID-START after its keeper, where NAMESPACE is the inode of the PID
// namespace and START the time that the keeper started, in clock ticks after boot: so a dead keeper is told from a
// living one, a process that got a dead one's PID from both, and another container's keeper is never judged.
//
// # With and without root
//
// Everything here is done with the privileges of a user namespace. Where the owner has no CAP_SYS_ADMIN it starts
// the keeper in one of its own (package emulate), and nothing else changes, except that control groups are
// often not the user's to make.
//
// # Control groups
//
// CPU time is limited by cpu.cfs_quota_us (version 1) or cpu.max (version 2), whichever has the cpu controller
// here. A lab's group is put below that of the keeper, so that limits set for it hold for the lab too; if that group
// takes none (not writable, or version 2's rule that a group has processes or limited children, not both),
// below the next one upwards. Where that one does not hand the cpu controller down yet, it is told to, and left so.
package keeper
